import re
from collections.abc import Iterator

from hpc_components.gcp.catalog.labels import LONGEST, label_key, label_value
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import Wrong, tag_keys, value_rule
from hpc_components.spec.rules.tags import RESERVED_TAGS

OWN_TAGS = (*RESERVED_TAGS, "hpc:role", "hpc:queue")


@value_rule("HPC-TAG-009", Level.ERROR, tag_keys)
def label_keys(_: GcpClusterSpec, path: Path, value: None, key: str) -> Wrong | None:
    """A tag key must begin with a letter, because it becomes a label key.

    Source: Resource Manager documentation, "Requirements for labels".
    """
    if re.match(r"[a-z]", label_key(key)):
        return None
    proposed = re.sub(r"^[^a-z]+", "", label_key(key))
    reason = f"but {key!r} doesn't" if key else "so it can't be empty"
    return f"a label key must begin with a letter, {reason}", f"use {proposed or 'a key like project'}"


@rule("HPC-TAG-010", Level.ERROR)
def labels_differ(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Two tags must not become the same label, and no tag may become one of the cluster's own labels.

    Labels consist of lower-case letters, digits, `-` and `_`, so `cost.center` and `cost_center` become the same
    label. Budgets, the daemon and the removal of nodes rely on the cluster's own labels to find the cluster's
    resources. Source: Resource Manager documentation, "Requirements for labels"; `tags.py` of this package.
    """
    first = {label_key(key): key for key in OWN_TAGS}
    for key in cluster.tags:
        if key in OWN_TAGS or key.lower().startswith("hpc:") or key.lower() in map(str.lower, RESERVED_TAGS):
            continue  # HPC-TAG-004 reports reserved keys
        other = first.setdefault(label_key(key), key)
        if other != key and other.lower() != key.lower():  # HPC-TAG-005 reports keys that differ only in case
            own = other in OWN_TAGS
            yield Problem(
                path=("tags", key),
                reason=f"both {key!r} and {other!r} become the label {label_key(key)!r}"
                + (", which the cluster itself uses" if own else ""),
                remedy="use another key" if own else "remove one of them",
            )


@rule("HPC-TAG-011", Level.INFO)
def label_is_another(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Write each tag exactly as it will appear as a label.

    Costs can be looked up only by the label as it appears on Google Cloud. Source: Resource Manager documentation,
    "Requirements for labels"; `tags.py` of this package.
    """
    for key, value in cluster.tags.items():
        became = f"{label_key(key)}={label_value(value)}"
        cut = max(len(key), len(value)) > LONGEST
        if became != f"{key}={value}" and re.match(r"[a-z]", label_key(key)):
            yield Problem(
                path=("tags", key),
                value=value,
                reason=f"on Google Cloud, this tag becomes the label {became}",
                remedy=f"change the tag to {label_key(key)}: {label_value(value)}, so that tag and label match",
                fix=(Change(("tags", key)), Change(("tags", label_key(key)), label_value(value)))
                if label_key(key) not in cluster.tags.keys() - {key}
                else (),
                level=Level.WARNING if cut else None,
            )
