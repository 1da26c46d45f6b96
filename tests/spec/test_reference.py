"""Finding keys of the reference by what a user would type."""

import pytest

from hpc_components.cloud import CLOUDS
from hpc_components.spec.reference import find_keys, keys_below, keys_of, similar_keys

KEYS = keys_of()


def found(wanted: str) -> set[tuple[str, str]]:
    return {(key.text.path, key.text.kind) for key in find_keys(wanted, KEYS)}


@pytest.mark.parametrize(
    "wanted", ["queues[].machine", "queues[3].machine", "queues.machine", "config.hpc:cluster.queues.machine"]
)
def test_path_as_in_a_stack_file_finds_its_key(wanted: str) -> None:
    assert found(wanted) == {("queues[].machine", "")}


def test_last_part_finds_every_key_of_that_name() -> None:
    assert found("machine") == {(f"{owner}.machine", "") for owner in ("head_node", "login_nodes", "queues[]")}


def test_type_chooses_among_mappings() -> None:
    assert found("storage.scratch.size") == {("storage.<name>.size", "lustre"), ("storage.<name>.size", "nfs")}
    assert found("lustre.size") == {("storage.<name>.size", "lustre")}
    assert found("s3.archive") == {("buckets.<name>.archive", "s3")}


def test_unknown_keys_find_nothing_but_have_neighbours() -> None:
    assert found("machines") == set()
    assert "machine" in similar_keys("queues.machines", KEYS)
    assert found("") == set()


def test_equal_texts_of_clouds_are_one_key() -> None:
    (key,) = find_keys("queues.name", KEYS)
    assert key.clouds == tuple(CLOUDS)
    assert {key.clouds for key in find_keys("max_spot_price", KEYS)} <= {("aws",), ("azure",), ("aws", "azure")}


def test_keys_below_are_grouped_by_type() -> None:
    (storage,) = find_keys("storage", keys_of(["aws"]))
    below = keys_below(storage, keys_of(["aws"]))
    assert below.keys() == {"lustre", "nfs", "efs"}
    assert "associations" in below["lustre"]
    assert "bucket" not in below["lustre"]


def test_every_key_says_what_it_means() -> None:
    assert [key.text.path for key in KEYS if not key.text.meaning] == []
