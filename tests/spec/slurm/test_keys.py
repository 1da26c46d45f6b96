"""Slurm's keys, as of its own source."""

import pytest

from hpc_components.spec.slurm.keys import slurm_key, slurm_keys

RELEASES = ("22.05", "23.11", "24.11", "25.11")


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_has_a_whole_table(release):
    counts = {
        scope: sum(release in key.types for key in slurm_keys(scope).values())
        for scope in ("global", "partition", "node")
    }
    assert counts["global"] > 220
    assert counts["partition"] > 38
    assert counts["node"] > 20


def test_keys_are_found_in_any_case():
    assert slurm_key("partition", "maxtime") is slurm_key("partition", "MaxTime") is not None


def test_a_key_has_the_releases_of_its_life():
    metrics, user = slurm_key("global", "MetricsType"), slurm_key("global", "AccountingStorageUser")
    assert metrics is not None
    assert user is not None
    assert set(metrics.types) == {"25.11"}
    assert (user.types["24.11"], user.types["25.11"]) == ("text", "removed")
    assert slurm_key("global", "MaxTime") is None


def test_lines_with_keys_of_their_own_are_told_from_values():
    lines = {key.name for key in slurm_keys("global").values() if "line" in key.types.values()}
    assert lines == {"DownNodes", "FrontendName", "NodeName", "NodeSet", "PartitionName", "SlurmctldHost"}
