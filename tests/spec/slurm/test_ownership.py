"""Whose a key of slurm.conf is."""

from hpc_components.spec.slurm.keys import slurm_key, slurm_keys
from hpc_components.spec.slurm.ownership import (
    ADDITIONS,
    MERGED_BY_NAME,
    MERGED_LISTS,
    OWNED,
    OWNED_OF_PARTITIONS,
    REPLACED_KEYS,
)


def test_what_we_own_is_spelt_as_slurm_does():
    for key in OWNED:
        known = slurm_key("global", key)
        assert known is not None
        assert known.name == key
    for key in OWNED_OF_PARTITIONS.keys() - {"PartitionName"}:
        known = slurm_key("partition", key)
        assert known is not None
        assert known.name == key


def test_what_may_be_added_is_added():
    assert {key.lower() for key in ADDITIONS} <= MERGED_LISTS


def test_a_key_has_one_owner():
    ours = {key.lower() for key in OWNED}
    assert not ours & (MERGED_LISTS | MERGED_BY_NAME | set(REPLACED_KEYS))
    assert not MERGED_LISTS & MERGED_BY_NAME


def test_keys_with_two_owners_are_slurms():
    assert MERGED_LISTS | MERGED_BY_NAME | {*REPLACED_KEYS, *REPLACED_KEYS.values()} <= set(slurm_keys("global"))
