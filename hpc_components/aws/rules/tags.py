"""Rules on the keys and values of tags."""

import re
from collections.abc import Iterator

from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.catalog.tag_keys import UNSERVED, is_tag_key
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-TAG-002", Level.ERROR)
def tag_keys(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Keys of tags have 1 to 128 letters, digits and `+ - = . _ : @`.

    AWS also takes blanks and `/`, but nodes read their tags from the instance metadata, which serves no such keys,
    and refuses the launch. It would serve a comma, which FSx, IAM and Elastic Load Balancing refuse. Source: AWS
    Tagging user guide, Tag naming limits; EC2 user guide, "Work with instance tags in instance metadata"; Tag in the
    API references of these services.
    """
    most = service_limit("tags.key_length")
    for key in cluster.tags:
        if is_tag_key(key):
            continue
        if len(key) > most:
            reason, remedy = f"its key has {len(key)} characters", f"use at most {most}"
        elif bad := UNSERVED.search(key):
            refusal = "FSx, IAM and load balancers refuse" if bad[0] == "," else "instance metadata can't serve"
            reason = f"the key {key!r} has {bad[0]!r} in it, which {refusal}"
            remedy = "use letters, digits and + - = . _ : @" + _proposal(key)
        else:
            reason, remedy = f"{key!r} can't be a tag's key in instance metadata", "use a word"
        yield Problem(path=("tags", key), reason=reason, remedy=remedy)


@rule("HPC-TAG-003", Level.ERROR)
def tag_values(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Values of tags have at most 256 letters, digits, blanks and `+ - = . _ : / @`.

    None begins with `aws:`. Source: AWS Tagging user guide, Tag naming limits; Elastic Load Balancing API reference,
    Tag; Network Load Balancer user guide, "Tags".
    """
    most = service_limit("tags.value_length")
    for key, value in cluster.tags.items():
        level = None
        if len(value) > most:
            reason, remedy = f"it has {len(value)} characters", f"use at most {most}"
        elif bad := re.search(r"[^\w +\-=._:/@]", value):
            reason, remedy = f"it has {bad[0]!r} in it", "use letters, digits, blanks and + - = . _ : / @"
        elif value.lower().startswith("aws:"):
            reason, remedy = "what begins with aws: is kept by AWS, in values too", "write something before it"
            level = Level.WARNING
        else:
            continue
        yield Problem(path=("tags", key), value=value, reason=reason, remedy=remedy, level=level)


def _proposal(key: str) -> str:
    proposed = re.sub(r"[^0-9A-Za-z_+\-=.:@]+", "-", key).strip("-")
    return f": {proposed}" if proposed else ""
