"""Plain ids of an existing network and config bucket, as users of single components write them."""

from hpc_components.aws import Tags
from hpc_components.aws.ports import BucketRef, ConfigStore, Identities, Identity, Network, SecurityGroupIds

TAGS = Tags("cfd", {"Project": "wing"})
CONFIG = ConfigStore(bucket="cfd-config", arn="arn:aws:s3:::cfd-config")
ROLES = "arn:aws:iam::123456789012:role"
OWN = Identity(instance_profile="own", role_arn=f"{ROLES}/own-role", role_name="own-role")
LENT = Identity(role_arn=f"{ROLES}/lent")
WHO = Identities(own=OWN)
WHO_LENDS = Identities(own=OWN, lent=LENT)
THEIRS = Identities(own=Identity(instance_profile="their-profile", role_arn=f"{ROLES}/theirs"))
NETWORK = Network(
    id="vpc-0123456789abcdef0",
    cidr="10.20.0.0/16",
    private_subnets={"use2-az1": "subnet-1", "use2-az2": "subnet-2"},
    public_subnets={"use2-az2": "subnet-9"},
    security_groups=SecurityGroupIds(
        head=("sg-head",), login=("sg-login",), compute=("sg-compute",), storage=("sg-fs",)
    ),
)


def bucket(name: str) -> BucketRef:
    return BucketRef(name=name, buckets=(f"cfd-{name}",), arns=(f"arn:aws:s3:::cfd-{name}",))
