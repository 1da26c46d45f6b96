"""Operations that a KMS key must allow so that machines with encrypted disks can be launched."""

DISK_KEY_OPERATIONS = (
    "CreateGrant", "Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey", "GenerateDataKeyWithoutPlaintext",
    "ReEncryptFrom", "ReEncryptTo",
)  # fmt: skip
"""Operations in a KMS grant. Source: EC2 Auto Scaling user guide, "Required AWS KMS key policy for use with encrypted
volumes"; EC2 user guide, "Spot Instance requests", which lists the same operations for Spot Instances. Read
2026-11-22."""
