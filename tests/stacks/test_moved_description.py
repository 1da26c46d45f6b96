"""The cfd cluster on three clouds: what its description must change to move, and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hpc_components.spec.cluster import Budget, ClusterSpec
from hpc_components.spec.project import find_project
from hpc_components.spec.validate import judge

STACKS = ("aws-cfd", "azure-hbv4", "gcp-h3")

WHERE = {"cloud", "region", "zone"}
MACHINE = {"machine"}
BUCKET = {"import_from", "export_to", "bucket", "log_bucket"}
SOLD = {"size", "throughput"}
"""What each cloud sells of Lustre, in steps of its own."""


def described(stack: str) -> ClusterSpec:
    cluster = judge(find_project(Path(__file__).parents[2]).open(stack).cluster).cluster
    assert cluster is not None
    return cluster


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The single values of a description, by where they are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, value


def words_of(cluster: ClusterSpec, path: tuple[str | int, ...]) -> set[str]:
    """The keys that the description may have beside the one at `path`, on its cloud."""
    here: Any = cluster
    for key in path[:-1]:
        here = here[key] if isinstance(key, int) or isinstance(here, dict) else getattr(here, key, None)
    return set(type(here).model_fields) if hasattr(type(here), "model_fields") else set()


def is_of_one_cloud(path: tuple[str | int, ...], clusters: list[ClusterSpec]) -> bool:
    """Whether a key, or one that it stands under, is not among the words of every cloud."""
    return any(
        path[end - 1] not in words_of(cluster, path[:end])
        for end in range(1, len(path) + 1)
        for cluster in clusters
        if isinstance(path[end - 1], str) and words_of(cluster, path[:end])
    )


def changed(first: str, second: str) -> set[tuple[str | int, ...]]:
    """Where two descriptions differ, as they are written."""
    project = find_project(Path(__file__).parents[2])
    one, other = (dict(leaves(project.open(stack).config["hpc:cluster"])) for stack in (first, second))
    return {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)}


@pytest.mark.parametrize(("first", "second"), [STACKS[:2], STACKS[1:], (STACKS[0], STACKS[2])])
def test_a_moved_cluster_differs_only_in_its_clouds_own_keys(first: str, second: str) -> None:
    clusters = [described(first), described(second)]
    surplus = {
        path
        for path in changed(first, second)
        if path[-1] not in WHERE | MACHINE | BUCKET
        and not (path[0] == "storage" and path[-1] in SOLD)
        and not is_of_one_cloud(path, clusters)
    }
    assert surplus == set()


def test_the_same_queues_mounts_and_settings_are_on_all() -> None:
    clusters = [described(stack) for stack in STACKS]
    assert [cluster.cloud for cluster in clusters] == ["aws", "azure", "gcp"]
    first, *others = (
        {
            "name": each.name,
            "network": (each.network.cidr, each.network.ssh_from),
            "queues": [(queue.name, queue.max, queue.purchase, queue.smt) for queue in each.queues],
            "storage": [(name, system.type, system.mount) for name, system in each.storage.items()],
            "slurm": each.slurm,
            "budget": {key: getattr(each.budget, key) for key in Budget.model_fields},
        }
        for each in clusters
    )
    assert others == [first, first]
