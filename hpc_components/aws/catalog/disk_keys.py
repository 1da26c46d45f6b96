"""What a key must allow to whoever launches machines with disks under it."""

DISK_KEY_OPERATIONS = (
    "CreateGrant", "Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey", "GenerateDataKeyWithoutPlaintext",
    "ReEncryptFrom", "ReEncryptTo",
)  # fmt: skip
"""Operations of a KMS grant. Source: EC2 Auto Scaling user guide, "Required AWS KMS key policy for use with encrypted
volumes"; EC2 user guide, "Spot Instance requests", for EC2's spot service the same. Read 2026-11-22."""
