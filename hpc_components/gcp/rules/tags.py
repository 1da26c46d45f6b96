"""Rules on tags, which are labels on Google Cloud: lower-case letters, digits, `-` and `_`."""

import re
from collections.abc import Iterator

from hpc_components.gcp.catalog.labels import LONGEST, label_key, label_value
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import Wrong, tag_keys, value_rule
from hpc_components.spec.rules.tags import RESERVED_TAGS

OWN_TAGS = (*RESERVED_TAGS, "hpc:role", "hpc:queue")
"""Tags that the cluster sets on its resources."""


@value_rule("HPC-TAG-009", Level.ERROR, tag_keys)
def label_keys(_: GcpClusterSpec, path: Path, value: None, key: str) -> Wrong | None:
    """A tag's key must begin with a letter, because it becomes a label's key.

    Source: Resource Manager documentation, "Requirements for labels".
    """
    if re.match(r"[a-z]", label_key(key)):
        return None
    proposed = re.sub(r"^[^a-z]+", "", label_key(key))
    reason = f"and {key!r} does not" if key else "so it can't be empty"
    return f"the key of a label begins with a letter, {reason}", f"use {proposed or 'a key like project'}"


@rule("HPC-TAG-010", Level.ERROR)
def labels_differ(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Two tags must not become the same label, and no tag may become one of the cluster's own labels.

    Labels consist of lower-case letters, digits, `-` and `_`, so `cost.center` and `cost_center` become the same
    label. Budgets, the daemon and the removal of nodes use the cluster's own labels to find what belongs to it.
    Source: Resource Manager documentation, "Requirements for labels"; `tags.py` of this package.
    """
    first = {label_key(key): key for key in OWN_TAGS}
    for key in cluster.tags:
        if key in OWN_TAGS or key.lower().startswith("hpc:") or key.lower() in map(str.lower, RESERVED_TAGS):
            continue  # HPC-TAG-004
        other = first.setdefault(label_key(key), key)
        if other != key and other.lower() != key.lower():  # HPC-TAG-005 reports keys that differ only in case
            own = other in OWN_TAGS
            yield Problem(
                path=("tags", key),
                reason=f"both {key!r} and {other!r} become the label {label_key(key)!r}"
                + (", which is the cluster's own" if own else ""),
                remedy="use another key" if own else "leave one of them out",
            )


@rule("HPC-TAG-011", Level.INFO)
def label_is_another(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Write a tag the way its label will be written.

    Costs can only be looked up by the label as it is written on Google Cloud. Source: Resource Manager documentation,
    "Requirements for labels"; `tags.py` of this package.
    """
    for key, value in cluster.tags.items():
        became = f"{label_key(key)}={label_value(value)}"
        cut = max(len(key), len(value)) > LONGEST
        if became != f"{key}={value}" and re.match(r"[a-z]", label_key(key)):
            yield Problem(
                path=("tags", key),
                value=value,
                reason=f"on Google Cloud it becomes the label {became}",
                remedy=f"rename it: {label_key(key)}: {label_value(value)} is the same everywhere",
                fix=(Change(("tags", key)), Change(("tags", label_key(key)), label_value(value)))
                if label_key(key) not in cluster.tags.keys() - {key}
                else (),
                level=Level.WARNING if cut else None,
            )
