"""Rules on home file systems that are not refusals."""

import pytest

from clouds.gcp.rules.judged import HOME, problems, queue


@pytest.mark.parametrize(
    ("tier", "size", "nodes", "reason"),
    [
        ("basic_hdd", "1TiB", 100, None),
        ("basic_hdd", "1TiB", 101, "a basic_hdd instance of this size reads 100 MiB/s, shared by 101 nodes"),
        ("basic_hdd", "10TiB", 101, None),
        ("basic_ssd", "2560GiB", 500, None),
        ("basic_ssd", "2560GiB", 501, "the basic tiers allow 500 connections, and the cluster can have 501 nodes"),
        ("zonal", "1TiB", 501, None),
    ],
)
def test_a_basic_filestore_serves_few_nodes(tier: str, size: str, nodes: int, reason: str | None) -> None:
    storage = {"home": HOME | {"tier": tier, "size": size}}
    assert [each.reason for each in problems("HPC-GFS-005", storage=storage, queues=[queue(max=nodes)])] == (
        [reason] if reason else []
    )


@pytest.mark.parametrize(
    ("home", "found"),
    [({}, True), ({"tier": "basic_hdd"}, True), ({"tier": "regional"}, False), ({"zone": "us-central1-b"}, True)],
)
def test_nodes_in_other_zones_than_the_home_are_named(home: dict[str, str], found: bool) -> None:
    zones = {"zones": ["us-central1-a", "us-central1-b"]}
    storage = {"home": HOME | home}
    assert bool(problems("HPC-GFS-006", storage=storage, queues=[queue(**zones)])) is found
    assert bool(problems("HPC-GFS-006", storage=storage)) is ("zone" in home)
