from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.elastic.decisions import LISTING_DELAY
from hpc_components.elastic.journal import Entry, Journal
from hpc_components.elastic.model import Launch, Pool
from hpc_components.elastic.report import BlockedPool

POOL = Pool(queue="q", machine="m1", zone="z", purchase="spot")
LAUNCH = Launch(token="t1", pool=POOL, nodes=("q-1", "q-2"), minimum=2, asked=100.0)
SENT = Entry(launch=LAUNCH, sent=100.0)
ANSWERED = replace(SENT, machines={"q-1": "i-1"})
BLOCK = BlockedPool(pool=POOL, until=500.0, words="InsufficientInstanceCapacity")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "journal.json"


@pytest.mark.parametrize("entry", [SENT, ANSWERED, replace(SENT, refused=True)])
def test_what_was_put_is_there_after_a_crash(path, entry):
    before = Journal(path)
    before.put(SENT)
    before.put(entry)
    before.block(BLOCK)
    after = Journal(path)
    assert list(after.entries) == [entry]
    assert dict(after.blocked) == {POOL: BLOCK}
    assert not after.broken


def test_it_begins_empty(path):
    journal = Journal(path)
    assert not journal.entries
    assert not journal.blocked
    assert not journal.broken


def test_dropped_is_dropped(path):
    journal = Journal(path)
    journal.put(SENT)
    journal.drop("t1")
    assert not Journal(path).entries


def test_what_is_written_is_on_disk_before_it_takes_the_old_ones_place(path, monkeypatch):
    steps = []
    monkeypatch.setattr("os.fsync", lambda file: steps.append("sync"))
    real = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, target: (steps.append("replace"), real(self, target)))
    Journal(path).put(SENT)
    assert steps == ["sync", "replace", "sync"]


def test_a_torn_write_leaves_the_former_state(path, monkeypatch):
    journal = Journal(path)
    journal.put(SENT)

    def power_cut(self, target):
        raise SystemExit

    monkeypatch.setattr(Path, "replace", power_cut)
    with pytest.raises(SystemExit):
        journal.put(ANSWERED)
    monkeypatch.undo()
    torn = path.with_name("journal.json.new")
    torn.write_text(torn.read_text()[:20])
    assert list(Journal(path).entries) == [SENT]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"version": 2}', b'{"version": 1, "launches": [{}]}']
)
def test_a_broken_file_is_set_aside_and_told(path, content):
    path.write_bytes(content)
    journal = Journal(path)
    assert journal.broken
    assert not journal.entries
    assert path.with_name("journal.json.broken").read_bytes() == content
    journal.put(SENT)
    assert list(Journal(path).entries) == [SENT]


@pytest.mark.parametrize("what", ["pathlib.Path.read_text", "shutil.copyfile"])
def test_what_can_t_be_read_or_copied_is_told_and_stops_nothing(path, monkeypatch, what):
    def fail(*_, **__):
        raise OSError("Input/output error")

    path.write_text("{")
    monkeypatch.setattr(what, fail)
    journal = Journal(path)
    assert journal.broken
    journal.put(SENT)
    monkeypatch.undo()
    assert list(Journal(path).entries) == [SENT]


def test_a_launch_is_forgotten_once_the_list_surely_shows_it(path):
    journal = Journal(path)
    journal.put(ANSWERED)
    journal.tidy(100.0 + LISTING_DELAY - 1, ())
    assert list(journal.entries) == [ANSWERED]
    journal.tidy(100.0 + LISTING_DELAY, {"q-1"})
    assert not Journal(path).entries


def test_a_launch_without_an_answer_stays_while_it_is_wanted(path):
    journal = Journal(path)
    journal.put(SENT)
    journal.tidy(10_000.0, {"q-2"})
    assert list(journal.entries) == [SENT]
    journal.tidy(10_000.0, {"q-3"})
    assert not journal.entries


def test_a_refused_launch_is_remembered_until_it_can_t_be_carried_out_and_listed_any_more(path):
    journal = Journal(path)
    journal.put(replace(SENT, refused=True))
    journal.tidy(100.0 + 2 * LISTING_DELAY - 1, {"q-1"})
    assert journal.entries
    journal.tidy(100.0 + 2 * LISTING_DELAY, {"q-1"})
    assert not journal.entries


def test_a_pool_is_open_again_when_its_time_is_over(path):
    journal = Journal(path)
    journal.block(BLOCK)
    journal.tidy(499.0, ())
    assert POOL in Journal(path).blocked
    journal.tidy(500.0, ())
    assert not Journal(path).blocked


def test_what_was_written_while_the_clock_was_ahead_is_cut(path):
    journal = Journal(path)
    journal.put(SENT)
    journal.block(BLOCK)
    journal.tidy(50.0, {"q-1"}, longest=30.0)
    after = Journal(path)
    (entry,) = after.entries
    assert (entry.sent, entry.launch) == (50.0, replace(LAUNCH, asked=50.0))
    assert after.blocked[POOL].until == 80.0


def test_a_new_launch_that_is_not_on_disk_is_forgotten(path, monkeypatch):
    journal = Journal(path)

    def full(text):
        raise OSError("No space left on device")

    monkeypatch.setattr(journal, "_write", full)
    with pytest.raises(OSError, match="No space"):
        journal.put(SENT)
    assert not journal.entries


def test_a_hold_outlives_a_restart(path):
    Journal(path).hold(500.0)
    assert Journal(path).held_until == 500.0


def test_an_unchanged_journal_is_not_written(path):
    Journal(path).tidy(1.0, ())
    assert not path.exists()
