"""What `hpc images` says about the nodes of a cluster agrees with what the rules find."""

import re
from pathlib import Path

import pytest

from hpc_components.images.nodes import NodeImage, node_images
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Finding
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.validate import judge

TESTS = Path(__file__).parents[1]
COMBINATIONS = {
    "HPC-OSI-001", "HPC-OSI-002", "HPC-OSI-006", "HPC-OSI-007", "HPC-OSI-009", "HPC-OSI-011", "HPC-OSI-012",
    "HPC-OSI-016", "HPC-OSI-017", "HPC-OSI-018", "HPC-FSX-021", "HPC-AML-019", "HPC-AML-020", "HPC-GML-010",
    "HPC-GML-011",
}  # fmt: skip
"""Rules that find a combination of machine, image and file system that doesn't exist."""

FILES = sorted(
    [
        *(TESTS.parent / "stacks" / "config").glob("*.yaml"),
        *(path for path in (TESTS / "corpus").glob("*.yaml") if re.match("HPC-(OSI|FSX|AML|GML)-", path.name)),
    ]
)


def described(file: Path) -> tuple[ClusterSpec, list[Finding]] | None:
    judgement = judge(open_stack_file(file).cluster)
    if judgement.cluster is None:
        return None
    return judgement.cluster, [each for each in (*judgement.findings, *judgement.silenced) if each.id in COMBINATIONS]


def in_corpus(name: str) -> dict[str, NodeImage]:
    found = described(TESTS / "corpus" / f"{name}.yaml")
    assert found
    return {each.nodes: each for each in node_images(found[0])}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_image_lacks_something_where_a_rule_finds_it(file: Path) -> None:
    found = described(file)
    if found is None:
        return
    cluster, findings = found
    paths = ["head_node", *["login_nodes"] * (cluster.login_nodes is not None)]
    paths += [f"queues[{index}]" for index, _ in enumerate(cluster.queues)]
    places = [place for each in findings for place in each.places or (each.path,)]
    for path, node in zip(paths, node_images(cluster), strict=True):
        here = [place for place in places if re.match(re.escape(path) + r"(\.(machine|image|fabric))?$", place)]
        if node.base is not None or node.own is None:
            said = node.lacks or any("confirms" in doubt for doubt in node.doubts)
            assert bool(said) >= bool(here), (path, node, here)
        if node.lacks:
            assert here or "os" in places, (path, node.lacks)


@pytest.mark.parametrize(
    ("name", "nodes", "lack"),
    [
        ("HPC-OSI-009-kernel-newer-than-the-client", "queue gpu", "a Lustre client for kernel 7.0"),
        ("HPC-OSI-018-cloud-rdma-on-ubuntu", "queue compute", "the driver for Cloud RDMA"),
        ("HPC-OSI-007-volta", "queue gpu", "the driver for V100"),
        ("HPC-OSI-012-debian-with-infiniband", "queue mpi", "the driver for "),
        ("HPC-FSX-021-lustre-on-debian", "head_node", "a Lustre client for debian-12"),
        ("HPC-OSI-006-gpus-on-debian", "queue compute", "a public image of debian-12 for x86_64 with a driver for"),
    ],
)
def test_a_node_names_what_its_image_lacks(name: str, nodes: str, lack: str) -> None:
    by_nodes = in_corpus(name)
    assert nodes in by_nodes, list(by_nodes)
    assert [each for each in by_nodes[nodes].lacks if each.startswith(lack)], by_nodes[nodes]


def test_an_image_of_ones_own_is_doubted_but_lacks_nothing() -> None:
    (own,) = (each for each in in_corpus("HPC-OSI-005-own-image").values() if each.own)
    assert (own.lacks, own.doubts) == ((), ("the catalogue has no facts about this image",))


@pytest.mark.parametrize(
    ("name", "age", "doubt"),
    [
        ("HPC-OSI-014-azure-image-of-the-day", None, "not pinned: new nodes may get a newer version"),
        (
            "HPC-OSI-025-driver-with-known-holes",
            159,
            "nvidia 580.126.20 is older than the security fixes of NVIDIA 5861 (580.178.04, 2026-09-30)",
        ),
    ],
)
def test_an_image_tells_its_age_and_what_is_doubtful(name: str, age: int | None, doubt: str) -> None:
    (queue,) = (node for nodes, node in in_corpus(name).items() if nodes.startswith("queue"))
    assert queue.to_dict()["age_days"] == age
    assert queue.doubts[0].startswith(doubt)


def test_the_facts_of_another_version_are_marked() -> None:
    nodes = in_corpus("HPC-OSI-024-azure-version-of-last-year").values()
    (older,) = (each for each in nodes if each.own)
    assert older.is_other_version
    assert older.base
    assert older.base.id.rpartition(":")[0] == (older.own or "").rpartition(":")[0]
