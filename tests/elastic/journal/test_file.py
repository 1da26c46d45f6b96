from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.elastic.clock import Clock
from hpc_components.elastic.journal.entries import BlockedPool, Entry
from hpc_components.elastic.journal.file import Journal
from hpc_components.elastic.model import Launch, Pool

CLOCK = Clock()
POOL = Pool(queue="q", machine="m1", zone="z", purchase="spot")
LAUNCH = Launch(token="t1", pool=POOL, nodes=("q-1", "q-2"), minimum=2, asked=100.0, sizes=(2,))
SENT = Entry(launch=LAUNCH, sent=100.0)
ANSWERED = replace(SENT, machines={"q-1": "i-1"})
BLOCK = BlockedPool(pool=POOL, until=500.0, words="InsufficientInstanceCapacity")

LIST_LAG = 120


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "journal.json"


@pytest.mark.parametrize("entry", [SENT, ANSWERED, replace(SENT, refused=True)])
def test_what_was_put_is_there_after_a_crash(path, entry):
    before = Journal(path, CLOCK)
    before.put(SENT)
    before.put(entry)
    before.block(BLOCK)
    after = Journal(path, CLOCK)
    assert list(after.entries) == [entry]
    assert dict(after.blocked) == {POOL: BLOCK}
    assert not after.broken


def test_a_launch_of_a_daemon_that_knew_no_sizes_is_read(path):
    Journal(path, CLOCK).put(SENT)
    path.write_text(path.read_text(encoding="utf-8").replace(', "sizes": [2]', ""), encoding="utf-8")
    assert [each.launch for each in Journal(path, CLOCK).entries] == [replace(LAUNCH, sizes=())]


def test_a_new_journal_is_empty(path):
    journal = Journal(path, CLOCK)
    assert not journal.entries
    assert not journal.blocked
    assert not journal.broken


def test_a_dropped_entry_stays_dropped(path):
    journal = Journal(path, CLOCK)
    journal.put(SENT)
    journal.drop("t1")
    assert not Journal(path, CLOCK).entries


def test_what_is_written_is_on_disk_before_it_takes_the_old_ones_place(path, monkeypatch):
    steps = []
    monkeypatch.setattr("os.fsync", lambda file: steps.append("sync"))
    real = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, target: (steps.append("replace"), real(self, target)))
    Journal(path, CLOCK).put(SENT)
    assert steps == ["sync", "replace", "sync"]


def test_a_torn_write_leaves_the_former_state(path, monkeypatch):
    journal = Journal(path, CLOCK)
    journal.put(SENT)

    def power_cut(self, target):
        raise SystemExit

    monkeypatch.setattr(Path, "replace", power_cut)
    with pytest.raises(SystemExit):
        journal.put(ANSWERED)
    monkeypatch.undo()
    torn = path.with_name("journal.json.new")
    torn.write_text(torn.read_text()[:20])
    assert list(Journal(path, CLOCK).entries) == [SENT]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"version": 2}', b'{"version": 1, "launches": [{}]}']
)
def test_a_broken_file_is_set_aside_and_told(path, content):
    path.write_bytes(content)
    journal = Journal(path, CLOCK)
    assert journal.broken
    assert not journal.entries
    assert path.with_name("journal.json.broken").read_bytes() == content
    journal.put(SENT)
    assert list(Journal(path, CLOCK).entries) == [SENT]


@pytest.mark.parametrize("what", ["pathlib.Path.read_text", "shutil.copyfile"])
def test_what_can_t_be_read_or_copied_is_told_and_stops_nothing(path, monkeypatch, what):
    def fail(*_, **__):
        raise OSError("Input/output error")

    path.write_text("{")
    monkeypatch.setattr(what, fail)
    journal = Journal(path, CLOCK)
    assert journal.broken
    journal.put(SENT)
    monkeypatch.undo()
    assert list(Journal(path, CLOCK).entries) == [SENT]


def test_a_launch_is_forgotten_once_the_list_surely_shows_it(path):
    journal = Journal(path, CLOCK)
    journal.put(ANSWERED)
    journal.tidy(100.0 + LIST_LAG - 1, (), list_lag=LIST_LAG)
    assert list(journal.entries) == [ANSWERED]
    journal.tidy(100.0 + LIST_LAG, {"q-1"}, list_lag=LIST_LAG)
    assert not Journal(path, CLOCK).entries


def test_a_launch_without_an_answer_stays_while_it_is_wanted(path):
    journal = Journal(path, CLOCK)
    journal.put(SENT)
    journal.tidy(10_000.0, {"q-2"}, list_lag=LIST_LAG)
    assert list(journal.entries) == [SENT]
    journal.tidy(10_000.0, {"q-3"}, list_lag=LIST_LAG)
    assert not journal.entries


def test_a_refused_launch_is_remembered_until_it_can_t_be_carried_out_and_listed_any_more(path):
    journal = Journal(path, CLOCK)
    journal.put(replace(SENT, refused=True))
    journal.tidy(100.0 + 2 * LIST_LAG - 1, {"q-1"}, list_lag=LIST_LAG)
    assert journal.entries
    journal.tidy(100.0 + 2 * LIST_LAG, {"q-1"}, list_lag=LIST_LAG)
    assert not journal.entries


def test_a_pool_is_open_again_when_its_time_is_over(path):
    journal = Journal(path, CLOCK)
    journal.block(BLOCK)
    journal.tidy(499.0, (), list_lag=LIST_LAG)
    assert POOL in Journal(path, CLOCK).blocked
    journal.tidy(500.0, (), list_lag=LIST_LAG)
    assert not Journal(path, CLOCK).blocked


def test_what_was_written_while_the_clock_was_ahead_is_cut(path):
    journal = Journal(path, CLOCK)
    journal.put(SENT)
    journal.block(BLOCK)
    journal.tidy(50.0, {"q-1"}, list_lag=LIST_LAG, longest=30.0)
    after = Journal(path, CLOCK)
    (entry,) = after.entries
    assert (entry.sent, entry.launch) == (50.0, replace(LAUNCH, asked=50.0))
    assert after.blocked[POOL].until == 80.0


def test_a_new_launch_that_is_not_on_disk_is_forgotten(path, monkeypatch):
    journal = Journal(path, CLOCK)

    def full(text):
        raise OSError("No space left on device")

    monkeypatch.setattr(journal, "_write", full)
    with pytest.raises(OSError, match="No space"):
        journal.put(SENT)
    assert not journal.entries


def test_a_pause_of_launches_outlives_a_restart(path):
    Journal(path, CLOCK).pause_launches(500.0)
    assert Journal(path, CLOCK).launches_paused_until == 500.0


def test_the_pause_in_a_journal_of_an_earlier_release_is_read(path):
    path.write_text('{"version": 1, "held_until": 500.0, "launches": [], "blocked": []}')
    assert Journal(path, CLOCK).launches_paused_until == 500.0


def test_an_unchanged_journal_is_not_written(path):
    Journal(path, CLOCK).tidy(1.0, (), list_lag=LIST_LAG)
    assert not path.exists()


def at(wall, running, boot="b1"):
    return Clock(wall=lambda: wall, running=lambda: running, boot=boot)


def test_ages_go_on_after_a_restart_although_the_clock_was_set_meanwhile(path):
    Journal(path, at(1000.0, 10.0)).put(replace(SENT, sent=1000.0))
    clock = at(wall=2330.0, running=20.0)
    journal = Journal(path, clock)
    assert clock() == 1010.0
    journal.shift(clock.set_right())
    (entry,) = journal.entries
    assert clock() - entry.sent == 10.0
    assert entry.launch.asked == 100.0 + 1320.0


def test_only_the_wall_clock_knows_how_long_the_machine_was_off(path):
    Journal(path, at(1000.0, 10.0)).put(replace(SENT, sent=1000.0))
    clock = at(wall=1600.0, running=5.0, boot="b2")
    (entry,) = Journal(path, clock).entries
    assert clock() - entry.sent == 600.0


def test_a_journal_that_was_read_after_a_step_and_not_written_is_read_so_again(path):
    Journal(path, at(1000.0, 10.0)).put(replace(SENT, sent=1000.0))
    for running in (20.0, 30.0):
        clock = at(2320.0 + running, running)
        journal = Journal(path, clock)
        journal.shift(clock.set_right())
        assert clock() - next(iter(journal.entries)).sent == running - 10.0
