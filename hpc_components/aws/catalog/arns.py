import re
from dataclasses import dataclass

_DATABASE = re.compile(r"\.([a-z]+-[a-z-]+-\d)\.rds\.amazonaws\.com$")
_ARN = re.compile(r"arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):(\d{12}|aws)?:(\S+)")


@dataclass(frozen=True)
class Arn:
    """The parts of an ARN. Source: AWS General Reference, "Amazon Resource Names"."""

    partition: str
    """`aws`, `aws-cn` or `aws-us-gov`."""
    service: str
    region: str
    """Region; empty for global resources such as roles."""
    account: str
    """Twelve digits, `aws` for resources that belong to AWS itself, or empty."""
    resource: str


def read_arn(text: str) -> Arn | None:
    match = _ARN.fullmatch(text)
    return Arn(match[1], match[2], match[3], match[4] or "", match[5]) if match else None


def database_region(host: str) -> str | None:
    """Return the region in the host name of an RDS database, or None for any other host.

    Source: Amazon RDS user guide, "Connecting to your DB instance".
    """
    match = _DATABASE.search(host)
    return match[1] if match else None


def metrics_address(arn: str) -> str | None:
    """Return the address of a workspace of Amazon Managed Service for Prometheus, with a slash at its end, or None if
    this is not the ARN of one.

    Source: Amazon Managed Service for Prometheus user guide, "RemoteWrite"; Service Authorization Reference,
    "Resource types defined by Amazon Managed Service for Prometheus".
    """
    found = read_arn(arn)
    id = found.resource.removeprefix("workspace/") if found else ""
    if found is None or found.service != "aps" or not re.fullmatch(r"ws-[\w-]+", id) or not found.region:
        return None
    return f"https://aps-workspaces.{found.region}.amazonaws.com/workspaces/{id}/"
