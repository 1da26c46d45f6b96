"""Compares a stack with the other stacks of its project.

`hpc validate` and `hpc preview` do this, because they see all stack files; a program sees only its own.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hpc_components.cloud import CLOUDS, Cloud, cloud_named
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.project import CLUSTER_KEY, StackFile, open_stack_file
from hpc_components.spec.rule import RuleText
from hpc_components.spec.source import Document, UnreadableError
from hpc_components.user_files import read_regular
from hpc_components.wording import any_of

__all__ = ["NEIGHBOUR_RULES", "neighbour_problems", "neighbours"]

MOST_FILES = 3
"""So many stack files are named in a finding; of more, their number."""

NAMESAKE = "HPC-STK-001"
BEGINNING = "HPC-STK-002"

NEIGHBOUR_RULES = {
    NAMESAKE: RuleText(
        NAMESAKE,
        Level.ERROR,
        "No two stacks of a project have clusters of the same name in a region",
        "The nodes' log group has the cluster's name, or its resource group, of which there is one in all\n"
        "regions of a subscription. So the second one can't be made; the budget of each counts both, and\n"
        "whoever looks for machines by the tag ClusterName finds those of both. Where the stacks are of two\n"
        "accounts, silence this with that reason.\n"
        "Source: CloudWatch Logs API reference, CreateLogGroup: a name is unique in an account and region.",
    ),
    BEGINNING: RuleText(
        BEGINNING,
        Level.WARNING,
        "No cluster's name is the beginning of another's where permissions go by names",
        "A condition on a permission can compare the beginning of a machine's name, and not its labels. So the head\n"
        "node of cfd may delete all machines whose names begin with cfd-, those of a cluster cfd-test among them.\n"
        "Its daemon leaves those alone, because it looks at labels too; an intruder on that head node need not.\n"
        "Source: the cloud's reference of what conditions on permissions can compare, resource name.",
    ),
}
"""Texts of the findings on stacks of one project, by id."""


def neighbours(file: StackFile) -> tuple[Document, ...]:
    """The clusters that other stack files in the folder of `file` describe and that may share its own one's name, or
    the beginning of it where that counts.

    Files in whose text that name is not are skipped, since to read one as YAML takes a hundred times as long, and so
    are unreadable ones.
    """
    return tuple(_other_clusters(file))


def _other_clusters(file: StackFile) -> Iterator[Document]:
    if not file.path.exists():  # standard input: it may be a draft of one of these files
        return
    names = [name.encode() for name in _names_to_look_for(file.cluster)]
    for path in sorted(file.path.parent.glob("Pulumi.*.yaml")):
        if path.name == file.path.name:
            continue
        try:
            stat = path.stat()
            text = read_regular(path)
        except OSError:
            continue
        if not any(name in text for name in names):
            continue
        if cluster := _described(path, (stat.st_mtime_ns, stat.st_size, stat.st_ino)):
            yield cluster


def _names_to_look_for(document: Document) -> Iterator[str]:
    """The cluster's name, and the shorter ones that may get in its way."""
    data = _data(document)
    name, cloud = data.get("name"), _cloud(data)
    if isinstance(name, str):
        yield name
        if cloud and cloud.machines_by_name:
            yield from (name[:at] for at, letter in enumerate(name) if letter == "-" and at)


@lru_cache(maxsize=1024)
def _described(path: Path, version: tuple[int, ...]) -> Document | None:
    """The cluster of a stack file, cached; `version` changes with the file."""
    try:
        file = open_stack_file(path)
    except UnreadableError:
        return None
    return file.cluster if CLUSTER_KEY in file.config else None


def neighbour_problems(document: Document, others: Sequence[Document]) -> Iterator[tuple[str, Problem]]:
    """Ids of `NEIGHBOUR_RULES`, each with one problem of the cluster in `document` beside all of `others`."""
    yield from ((NAMESAKE, problem) for problem in _namesake(document, others))
    yield from ((BEGINNING, problem) for problem in _beginning(document, others))


def _namesake(document: Document, others: Sequence[Document]) -> Iterator[Problem]:
    own = _name_and_place(document)
    twins = [str(other.file) for other in others if own is not None and _name_and_place(other) == own]
    if own is not None and twins:
        name, place = own
        yield Problem(
            path=("name",),
            value=name,
            reason=f"{_subject(twins)} a cluster of this name {place} too: log group, budget and tags would be"
            " those of both",
            remedy="give one of them another name; if they are in two accounts, say so: "
            f"silence: {{{NAMESAKE}: the other is in another account}}",
        )


def _beginning(document: Document, others: Sequence[Document]) -> Iterator[Problem]:
    own = _name_and_owner(document)
    if own is None:
        return
    named = [(str(other.file), its[0]) for other in others if (its := _name_and_owner(other)) and its[1] == own[1]]
    longer = [(file, name) for file, name in named if name.startswith(f"{own[0]}-")]
    shorter = [(file, name) for file, name in named if own[0].startswith(f"{name}-")]
    for found in filter(None, (longer, shorter)):
        names = any_of(name for _, name in found)
        short, long = (own[0], names) if found is longer else (names, own[0])
        first, second = (own[0], found[0][1]) if found is longer else (found[0][1], own[0])
        yield Problem(
            path=("name",),
            value=own[0],
            reason=f"{_subject([file for file, _ in found])} the cluster {names}: the head node of {short} may delete"
            f" machines of {long}, whose names begin with {first}- too",
            remedy="give the one that is made later another name, such as"
            f" {first}{second[len(first) + 1 :]}, or make it in another project",
        )


def _subject(files: Sequence[str]) -> str:
    """The stack files that have something, and the verb; of many the first ones."""
    if len(files) == 1:
        return f"{files[0]} has"
    shown = ", ".join(files[:MOST_FILES])
    return f"{len(files)} other stacks ({shown}{', ...' if len(files) > MOST_FILES else ''}) have"


def _name_and_owner(document: Document) -> tuple[str, tuple[str, str]] | None:
    """A cluster's name, and whose machines those are whose names begin with it, where that counts."""
    data = _data(document)
    cloud, name = _cloud(data), data.get("name")
    owner = data.get(cloud.machines_by_name) if cloud and cloud.machines_by_name else None
    return (name, (cloud.name, owner)) if cloud and isinstance(name, str) and isinstance(owner, str) else None


def _name_and_place(document: Document) -> tuple[str, str] | None:
    """A cluster's name, and where no other one may have it: `in us-east-2`, or `on` a cloud, whatever the region."""
    data = _data(document)
    name, region, cloud = data.get("name"), data.get("region"), _cloud(data)
    if not (isinstance(name, str) and isinstance(region, str)):
        return None
    return name, f"on {cloud.title}" if cloud and not cloud.names_by_region else f"in {region}"


def _data(document: Document) -> dict[str, Any]:
    return document.data if isinstance(document.data, dict) else {}


def _cloud(data: dict[str, Any]) -> Cloud | None:
    name = data.get("cloud")
    return cloud_named(name) if isinstance(name, str) and name in CLOUDS else None
