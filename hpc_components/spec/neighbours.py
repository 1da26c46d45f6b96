"""Compares a stack with the other stacks of its project.

`hpc validate` and `hpc preview` do this, because they see all stack files; a program sees only its own.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.project import CLUSTER_KEY, StackFile, open_stack_file
from hpc_components.spec.rule import RuleText
from hpc_components.spec.source import Document, UnreadableError

__all__ = ["NAMESAKE", "NEIGHBOUR_RULES", "namesakes", "neighbours"]

NAMESAKE = "HPC-STK-001"

NEIGHBOUR_RULES = {
    NAMESAKE: RuleText(
        NAMESAKE,
        Level.ERROR,
        "No two stacks of a project have clusters of the same name in a region",
        "The nodes' log group has the cluster's name, or its resource group, of which there is one in all\n"
        "regions of a subscription. So the second one can't be made; the budget of each\n"
        "counts both, and who looks for machines by the tag ClusterName finds those of both. Where the stacks are\n"
        "of two accounts, silence this with that reason.\n"
        "Source: CloudWatch Logs API reference, CreateLogGroup: a name is unique in an account and region.",
    )
}
"""Texts of the findings on stacks of one project, by id."""


def neighbours(file: StackFile) -> tuple[Document, ...]:
    """The clusters that other stack files in the folder of `file` describe and that may have the name of its own.

    Files in whose text that name is not are skipped, since to read one as YAML takes a hundred times as long, and so
    are unreadable ones.
    """
    return tuple(_other_clusters(file))


def _other_clusters(file: StackFile) -> Iterator[Document]:
    if not file.path.exists():  # standard input: it may be a draft of one of these files
        return
    described = file.cluster.data
    name = described.get("name") if isinstance(described, dict) else None
    if not isinstance(name, str):
        return
    for path in sorted(file.path.parent.glob("Pulumi.*.yaml")):
        if path.name == file.path.name:
            continue
        try:
            stat = path.stat()
            if name.encode() not in path.read_bytes():
                continue
        except OSError:
            continue
        if cluster := _described(path, (stat.st_mtime_ns, stat.st_size, stat.st_ino)):
            yield cluster


@lru_cache(maxsize=1024)
def _described(path: Path, version: tuple[int, ...]) -> Document | None:
    """The cluster of a stack file, cached; `version` changes with the file."""
    try:
        file = open_stack_file(path)
    except UnreadableError:
        return None
    return file.cluster if CLUSTER_KEY in file.config else None


def namesakes(document: Document, others: Sequence[Document]) -> Iterator[Problem]:
    """A problem for each of `others` that has the name of the cluster in `document`, where that must differ."""
    own = _name_and_place(document)
    for other in others:
        if own is not None and _name_and_place(other) == own:
            name, place = own
            yield Problem(
                path=("name",),
                value=name,
                reason=f"{other.file} has a cluster of this name {place} too: log group, budget and tags would be"
                " those of both",
                remedy="give one of them another name; if they are in two accounts, say so: "
                f"silence: {{{NAMESAKE}: the other is in another account}}",
            )


def _name_and_place(document: Document) -> tuple[str, str] | None:
    """A cluster's name, and where no other one may have it: `in us-east-2`, or `on` a cloud, whatever the region."""
    data = document.data if isinstance(document.data, dict) else {}
    name, region, cloud = data.get("name"), data.get("region"), data.get("cloud")
    if not (isinstance(name, str) and isinstance(region, str)):
        return None
    described = cloud_named(cloud) if isinstance(cloud, str) and cloud in CLOUDS else None
    return name, f"on {described.title}" if described and not described.names_by_region else f"in {region}"
