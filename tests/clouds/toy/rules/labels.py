"""Rules on tags, which the toy cloud keeps as labels."""

from collections import defaultdict
from collections.abc import Iterator

from clouds.toy.catalog.labels import label_key
from clouds.toy.spec.cluster import ToyClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-TOY-001", Level.ERROR)
def labels_differ(cluster: ToyClusterSpec) -> Iterator[Problem]:
    """No two tags become the same label.

    Labels have small letters only, and `_` for what they don't know. Source: the toy cloud's manual.
    """
    keys: dict[str, list[str]] = defaultdict(list)
    for key in (*cluster.tags, "ClusterName"):
        keys[label_key(key)].append(key)
    for label, (first, *others) in keys.items():
        if others:
            yield Problem(
                path=("tags", first),
                value=cluster.tags[first],
                reason=f"{first} and {others[0]} both become the label {label}",
                remedy="rename one of them" if others[0] in cluster.tags else f"leave {first} out",
            )
