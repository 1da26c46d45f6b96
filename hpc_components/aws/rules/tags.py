import re
from collections.abc import Iterator

from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.catalog.tag_keys import UNSERVED, is_tag_key
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, tag_keys, tag_values, value_rule


def _values(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str]]:
    yield from tag_values(cluster)
    for name, one in cluster.organizations.items():
        if one.cost_center is not None:
            yield ("organizations", name, "cost_center"), one.cost_center


@value_rule("HPC-TAG-002", Level.ERROR, tag_keys)
def served_keys(_: AwsClusterSpec, path: Path, value: None, key: str) -> Wrong | None:
    """Tag keys must consist of 1 to 128 letters, digits and `+ - = . _ : @`.

    AWS also accepts spaces and `/`, but nodes read their tags from instance metadata, which can't serve keys with
    these characters, so EC2 refuses the launch. Instance metadata would accept a comma, but FSx, IAM and Elastic Load
    Balancing refuse it. Source: AWS Tagging user guide, Tag naming limits; EC2 user guide, "Work with instance tags
    in instance metadata"; Tag in the API references of these services.
    """
    if is_tag_key(key):
        return None
    if len(key) > (most := service_limit("tags.key_length")):
        return f"the key has {len(key)} characters", f"use at most {most} characters"
    if bad := UNSERVED.search(key):
        refusal = "FSx, IAM and load balancers refuse" if bad[0] == "," else "instance metadata can't serve"
        proposed = re.sub(r"[^0-9A-Za-z_+\-=.:@]+", "-", key).strip("-")
        remedy = "use letters, digits and + - = . _ : @" + (f": {proposed}" if proposed else "")
        return f"the key {key!r} contains {bad[0]!r}, which {refusal}", remedy
    return f"instance metadata doesn't support the tag key {key!r}", "use a word"


@value_rule("HPC-TAG-003", Level.ERROR, _values)
def allowed_values(_: AwsClusterSpec, path: Path, value: str) -> Wrong | None:
    """Tag values must consist of at most 256 letters, digits, spaces and `+ - = . _ : / @`.

    A value must not begin with `aws:`. Source: AWS Tagging user guide, Tag naming limits; Elastic Load Balancing API
    reference, Tag; Network Load Balancer user guide, "Tags".
    """
    if len(value) > (most := service_limit("tags.value_length")):
        return f"the value has {len(value)} characters", f"use at most {most} characters"
    if bad := re.search(r"[^\w +\-=._:/@]", value):
        return f"it contains {bad[0]!r}", "use only letters, digits, spaces and + - = . _ : / @"
    reserved = value.lower().startswith("aws:")
    wrong = (
        "AWS reserves the prefix aws: for values as well as keys",
        "use a value that doesn't begin with aws:",
        Level.WARNING,
    )
    return wrong if reserved else None
