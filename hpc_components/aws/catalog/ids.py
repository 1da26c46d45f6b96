import re

from hpc_components.aws.catalog.arns import read_arn
from hpc_components.aws.catalog.machines import regions
from hpc_components.catalog.mistake import Mistake

_DIGITS = "0123456789abcdef0"

_RESOURCES = {"network": ("vpc", "VPC"), "subnet": ("subnet", "subnet")}
"""Maps each kind to its id prefix and name. Source: EC2 user guide, "Resource IDs": 8 or 17 hexadecimal digits."""


def id_mistake(kind: str, id: str, region: str) -> Mistake | None:
    match kind:
        case "network" | "subnet":
            prefix, name = _RESOURCES[kind]
            if not _is_resource(prefix, id):
                return Mistake(f"{id!r} is not the id of a {name}", f"use an id such as {prefix}-{_DIGITS}")
        case "image":
            if not _is_resource("ami", id):
                remedy = f"use an id such as ami-{_DIGITS}; a name or parameter can later refer to a different image"
                return Mistake(f"{id!r} is not the id of an image", remedy)
        case "reservation" | "capacity_block":
            if not re.fullmatch(r"cr-[0-9a-f]{17}", id):
                remedy = f"use cr- followed by 17 hexadecimal digits, e.g. cr-{_DIGITS}"
                return Mistake(f"{id!r} is not the id of a capacity reservation", remedy)
        case "secret":
            return _secret_mistake(id, region)
        case "zone":
            return _zone_mistake(id, region)
    return None


def _is_resource(prefix: str, id: str) -> bool:
    return re.fullmatch(rf"{prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})", id) is not None


def _secret_mistake(id: str, region: str) -> Mistake | None:
    arn = read_arn(id)
    if arn is None or arn.service != "secretsmanager" or not arn.resource.startswith("secret:"):
        remedy = f"use an ARN such as arn:aws:secretsmanager:{region}:123456789012:secret:slurm-db-AbCdEf, "
        return Mistake("the value is not the ARN of a secret", remedy + "not the password itself", may_be_secret=True)
    if arn.region != region:
        reason = f"the secret is in {arn.region}, but the cluster is in {region}"
        return Mistake(reason, f"replicate the secret to {region}, and use the replica's ARN")
    return None


def _zone_mistake(word: str, region: str) -> Mistake | None:
    """Return a mistake if `word` is a zone name (such as `us-east-2b`) rather than a zone id (such as `use2-az2`)."""
    if not re.fullmatch(rf"{re.escape(region)}[a-z]", word):
        return None
    ids = ", ".join(sorted(regions()[region]))
    return Mistake(
        f"{word!r} is a zone name, which can refer to a different zone in each account",
        f"use the zone's id, one of {ids}; to find the right one, run `aws ec2 describe-availability-zones`",
    )
