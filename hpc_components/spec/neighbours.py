"""What a stack must not have in common with the other stacks of its project.

`hpc validate` and `hpc preview` tell it, which see all stack files. A program sees its own stack alone.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

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
        "The nodes' log group has the cluster's name, so the second one can't be made; the budget of each\n"
        "counts both, and who looks for machines by the tag ClusterName finds those of both. Where the stacks are\n"
        "of two accounts, silence this with that reason.\n"
        "Source: CloudWatch Logs API reference, CreateLogGroup: a name is unique in an account and region.",
    )
}
"""What is said of stacks that are side by side, by id."""


def neighbours(file: StackFile) -> tuple[Document, ...]:
    """The clusters that the stack files beside `file` describe. What can't be read is told where it is judged."""
    return tuple(_clusters_beside(file))


def _clusters_beside(file: StackFile) -> Iterator[Document]:
    if not file.path.exists():  # from standard input: it may be what is to become of one of these files
        return
    for path in sorted(file.path.parent.glob("Pulumi.*.yaml")):
        if path.name == file.path.name:
            continue
        try:
            told = path.stat()
        except OSError:
            continue
        if cluster := _described(path, (told.st_mtime_ns, told.st_size, told.st_ino)):
            yield cluster


@lru_cache(maxsize=1024)
def _described(path: Path, version: tuple[int, ...]) -> Document | None:
    """The cluster of a stack file, read once for all that ask; `version` tells a changed file from the former."""
    try:
        file = open_stack_file(path)
    except UnreadableError:
        return None
    return file.cluster if CLUSTER_KEY in file.config else None


def namesakes(document: Document, beside: Sequence[Document]) -> Iterator[Problem]:
    """The clusters `beside` with the name and region of that in `document`."""
    own = _name_and_region(document)
    for other in beside:
        if own is not None and _name_and_region(other) == own:
            name, region = own
            yield Problem(
                path=("name",),
                value=name,
                reason=f"{other.file} has a cluster of this name in {region} too: log group, budget and tags would"
                " be those of both",
                remedy="give one of them another name; if they are in two accounts, say so: "
                f"silence: {{{NAMESAKE}: the other is in another account}}",
            )


def _name_and_region(document: Document) -> tuple[str, str] | None:
    told = document.data if isinstance(document.data, dict) else {}
    name, region = told.get("name"), told.get("region")
    return (name, region) if isinstance(name, str) and isinstance(region, str) else None
