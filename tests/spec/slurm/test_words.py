"""The words that Slurm's settings may have, as of its own source."""

import re

import pytest

from hpc_components.catalog._load import records
from hpc_components.spec import slurm
from hpc_components.spec.slurm.keys import slurm_key
from hpc_components.spec.slurm.words import slurm_words

RELEASES = {"22.05", "23.11", "24.11", "25.11"}


@pytest.mark.parametrize(
    "record", records("words", slurm.__file__), ids=lambda record: f"{record['kind']}-{record['name']}"
)
def test_a_record_is_of_a_key_and_its_words_are_told_once(record):
    key = slurm_key(record["kind"], record["name"])
    assert key is not None
    assert key.name == record["name"]
    words = [*record["words"], *record["some"]]
    assert len(words) == len({word if record["exact"] else word.lower() for word in words})
    for releases in record["some"].values():
        assert releases == sorted(releases)
        assert set(releases) < RELEASES
    assert re.compile(record["also"] or "")


@pytest.mark.parametrize(
    ("scope", "key", "version", "text", "unknown_words"),
    [
        ("global", "debugflags", "23.11", "gres,POWER", []),
        ("global", "DebugFlags", "23.11", "Gres,,Powr,AuditRPCs", ["Powr", "AuditRPCs"]),
        ("global", "DebugFlags", "24.11", "AuditRPCs", []),
        ("global", "PriorityType", "24.11", "Priority/Multifactor", ["Priority/Multifactor"]),
        ("global", "SlurmctldDebug", "24.11", "7", []),
        ("global", "EnforcePartLimits", "24.11", "ALL,ANY", ["ALL,ANY"]),
        ("global", "PropagateResourceLimits", "24.11", "NOFILE,ALL", ["ALL"]),
        ("global", "PropagateResourceLimits", "24.11", "ALL", []),
        ("partition", "OverSubscribe", "24.11", "force:4", []),
        ("partition", "Shared", "24.11", "FORCE:x", ["FORCE:x"]),
        ("partition", "PreemptMode", "24.11", "PRIORITY", ["PRIORITY"]),
        ("partition", "PreemptMode", "25.11", "PRIORITY", []),
    ],
)
def test_words_that_a_release_does_not_know_are_found(scope, key, version, text, unknown_words):
    words = slurm_words(scope, key)
    assert words is not None
    assert list(words.unknown_words(text, version)) == unknown_words


def test_keys_that_take_anything_have_no_words():
    assert slurm_words("global", "MailProg") is None
    assert slurm_words("partition", "DebugFlags") is None


def test_a_word_has_the_releases_of_its_life():
    words = slurm_words("global", "DebugFlags")
    assert words is not None
    assert words.releases("auditrpcs") == ("24.11", "25.11")
    assert words.releases("Gres") == ()
