"""Finds conflicts between the stacks of a project.

Only `hpc validate` and `hpc preview` can find these conflicts, because a Pulumi program reads only its own stack
file.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hpc_components.cloud import CLOUDS, Cloud, cloud_named
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.project import CLUSTER_KEY, StackFile, open_stack_file
from hpc_components.spec.rule import RuleText
from hpc_components.spec.shared_ids import existing_file_systems, id_problems, words_of
from hpc_components.spec.source import Document, UnreadableError
from hpc_components.user_files import read_regular
from hpc_components.wording import any_of

MAX_NAMED_FILES = 3
"""Maximum number of stack files that a finding lists by name. Further files are only counted."""

SAME_NAME = "HPC-STK-001"
NAME_PREFIX = "HPC-STK-002"
SHARED_IDS = "HPC-STK-003"

NEIGHBOUR_RULES = {
    SAME_NAME: RuleText(
        SAME_NAME,
        Level.ERROR,
        "Clusters in a project's stacks must have unique names within a region",
        "Names of log groups and resource groups derive from the cluster's name and must be unique, so the second\n"
        "cluster can't be created. Each budget would count the costs of both, and a search by the tag ClusterName\n"
        "would find the machines of both. If the stacks belong to different accounts, silence this with that\n"
        "reason.\n"
        "Source: CloudWatch Logs API reference, CreateLogGroup: a name is unique in an account and region.",
    ),
    NAME_PREFIX: RuleText(
        NAME_PREFIX,
        Level.WARNING,
        "Where permissions depend on names, no cluster's name may be a prefix of another's",
        "A condition on a permission can compare the prefix of a machine's name, but not its labels. So the head\n"
        "node of cfd may delete all machines whose names begin with cfd-, including those of a cluster cfd-test.\n"
        "Its daemon leaves those alone, because it checks labels too; an intruder on that head node would not.\n"
        "Source: the cloud's reference of attributes for conditions on permissions, resource name.",
    ),
    SHARED_IDS: RuleText(
        SHARED_IDS,
        Level.ERROR,
        "Clusters that mount the same file system must give each id to one user or group only",
        "Files belong to ids, not to names. Where two clusters mount the same existing file system, a user of one\n"
        "owns the files of a user of the other with the same id.\n"
        "Source: inode(7), st_uid.",
    ),
}


def neighbours(file: StackFile) -> tuple[Document, ...]:
    """Read the other stack files in the folder, and return the clusters that may conflict with the cluster in `file`.

    Unreadable files are skipped. Files that contain neither the cluster's name, nor a conflicting prefix, nor one of
    its existing file systems are also skipped, because parsing the YAML would take a hundred times as long as
    searching the text.
    """
    return tuple(_other_clusters(file))


def _other_clusters(file: StackFile) -> Iterator[Document]:
    if not file.path.exists():  # this file comes from standard input and may be a draft of one of the others
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
    """Yield the cluster's name, each prefix that no other cluster may use as its name, and what its existing file
    systems are called.
    """
    data = _data(document)
    name, cloud = data.get("name"), _cloud(data)
    if isinstance(name, str):
        yield name
        if cloud and cloud.machines_by_name:
            yield from (name[:at] for at, letter in enumerate(name) if letter == "-" and at)
    for existing in existing_file_systems(data):
        yield from words_of(existing)


@lru_cache(maxsize=1024)
def _described(path: Path, version: tuple[int, ...]) -> Document | None:
    """Return the cluster in a stack file, or None if the file has no cluster or can't be read. Results are cached by
    `version`.
    """
    try:
        file = open_stack_file(path)
    except UnreadableError:
        return None
    return file.cluster if CLUSTER_KEY in file.config else None


def neighbour_problems(document: Document, others: Sequence[Document]) -> Iterator[tuple[str, Problem]]:
    yield from ((SAME_NAME, problem) for problem in _namesake(document, others))
    yield from ((NAME_PREFIX, problem) for problem in _beginning(document, others))
    described = [(str(other.file), _data(other)) for other in others]
    yield from ((SHARED_IDS, problem) for problem in id_problems(_data(document), described))


def _namesake(document: Document, others: Sequence[Document]) -> Iterator[Problem]:
    own = _name_and_place(document)
    twins = [str(other.file) for other in others if own is not None and _name_and_place(other) == own]
    if own is not None and twins:
        name, place = own
        yield Problem(
            path=("name",),
            value=name,
            reason=f"{_subject(twins)} a cluster with the same name {place}: both clusters would share a log group, "
            "a budget and tags",
            remedy=f"rename one of the clusters; if they belong to different accounts, add silence: {{{SAME_NAME}: "
            "the other is in another account}",
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
            reason=f"{_subject([file for file, _ in found])} the cluster {names}: the head node of {short} could "
            f"delete machines of {long}, because their names also begin with {first}-",
            remedy=f"rename the newer cluster, for example to {first}{second[len(first) + 1 :]}, or create it in "
            "another project",
        )


def _subject(files: Sequence[str]) -> str:
    if len(files) == 1:
        return f"{files[0]} has"
    shown = ", ".join(files[:MAX_NAMED_FILES])
    return f"{len(files)} other stacks ({shown}{', ...' if len(files) > MAX_NAMED_FILES else ''}) have"


def _name_and_owner(document: Document) -> tuple[str, tuple[str, str]] | None:
    """Return a cluster's name and the owner of its machines, or None if the cloud's permissions don't depend on
    names.
    """
    data = _data(document)
    cloud, name = _cloud(data), data.get("name")
    owner = data.get(cloud.machines_by_name) if cloud and cloud.machines_by_name else None
    return (name, (cloud.name, owner)) if cloud and isinstance(name, str) and isinstance(owner, str) else None


def _name_and_place(document: Document) -> tuple[str, str] | None:
    """Return a cluster's name and the scope in which the name must be unique, e.g. `in us-east-2` or `on Azure`."""
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
