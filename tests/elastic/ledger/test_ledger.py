"""The ledger that a daemon keeps while machines come and go, is killed, and the disk is full."""

import pytest

from elastic.cycle.stubs import LIST_LAG, LOST, M1, M2, OFF, UP
from elastic.ledger.priced_site import PricedSite, prices_json
from hpc_components.elastic.ledger.file import LedgerFiles
from hpc_components.elastic.ledger.news import RESPONDS_SECONDS
from hpc_components.elastic.ledger.records import (
    ClockSet,
    Ended,
    Gap,
    PriceSet,
    Registered,
    Seen,
    Started,
)
from hpc_components.elastic.report.events import EventKind


@pytest.fixture
def site(tmp_path):
    return PricedSite(tmp_path)


def launched(site, *numbers):
    """Machines for these nodes, launched and listed."""
    site.slurm.want(7, *numbers)
    site.run()
    site.run()


def test_a_machine_is_recorded_from_its_launch_to_its_end(site):
    launched(site, 1)
    started = site.records(Started)
    assert [(each.id, each.node, each.started, each.started_by) for each in started] == [
        ("i-1", "q-1", site.cloud.machines["i-1"].launched, "cloud")
    ]
    site.slurm.jobs_now.clear()
    site.slurm.set(UP, 1)
    site.run()
    assert [(each.id, each.at) for each in site.records(Registered)] == [("i-1", site.now)]
    site.run()
    site.slurm.set(OFF, 1)
    site.run()
    assert site.cloud.ended == ["i-1"]
    assert [(each.ended, each.ended_by, each.why) for each in site.records(Ended)] == [(site.now, "daemon", "idle")]
    assert len(site.records(Registered, Started)) == 2


def test_the_clouds_own_time_of_the_end_is_recorded_too(site):
    launched(site, 1)
    site.go("i-1", ended=site.now + 1, taken=True)
    site.run()
    site.run()
    assert [(each.ended, each.ended_by, each.why) for each in site.records(Ended)] == [
        (site.now - 9, "cloud", "reclaimed")
    ]


def test_the_end_of_a_vanished_machine_is_when_it_was_first_missing(site):
    launched(site, 1)
    site.cloud.hidden.add("i-1")
    site.cloud.unknown.add("i-1")
    site.run()
    first = site.now
    for _ in range(12):
        site.run(10.0)
    assert [(each.ended, each.ended_by) for each in site.records(Ended)] == [(first, "list")]


def test_a_machine_missing_from_one_list_has_not_ended(site):
    launched(site, 1)
    site.cloud.hidden.add("i-1")
    site.run(LIST_LAG / 2)
    site.cloud.hidden.clear()
    site.run(LIST_LAG / 2)
    site.run(LIST_LAG / 2)
    assert not site.records(Ended)


def test_a_machine_missing_from_two_lists_far_apart_has_not_ended(site):
    launched(site, 1)
    site.slurm.jobs_now.clear()
    site.slurm.set(UP + "+NOT_RESPONDING", 1)
    site.cloud.hidden.add("i-1")
    site.run()
    site.run(3 * LIST_LAG)
    assert not site.records(Ended)


def test_a_machine_that_comes_back_long_after_its_end_runs_again(site):
    launched(site, 1)
    site.slurm.jobs_now.clear()
    site.slurm.set(UP + "+NOT_RESPONDING", 1)
    site.cloud.hidden.add("i-1")
    for _ in range(4):
        site.run(LIST_LAG / 2)
    assert site.records(Ended)
    before = site.ledger.spending.month_to_date(site.now)
    site.cloud.hidden.clear()
    site.run(1.0)
    assert [(each.id, each.at) for each in site.records(Seen)] == [("i-1", site.now)]
    assert site.ledger.spending.month_to_date(site.now) > before + 3.6e9 / 3600 * LIST_LAG
    site.start()
    site.run()
    assert len(site.records(Seen)) == 1


def test_a_machine_whose_node_responds_runs_although_it_is_not_listed(site):
    launched(site, 1)
    site.slurm.set(UP, 1)
    site.cloud.hidden.add("i-1")
    for _ in range(20):
        site.run(LIST_LAG)
    assert not site.records(Ended)
    last = site.now
    site.slurm.set(UP + "+NOT_RESPONDING", 1)
    for _ in range(4):
        site.run(LIST_LAG)
    (ended,) = site.records(Ended)
    assert last - RESPONDS_SECONDS - LIST_LAG <= ended.ended <= last + LIST_LAG


def test_a_machine_that_ends_before_it_is_listed_is_recorded_too(site):
    site.slurm.want(7, 1)
    site.run()
    site.cloud.hidden.add("i-1")
    site.slurm.jobs_now.clear()
    site.slurm.set(OFF, 1)
    site.run()
    assert site.cloud.ended == ["i-1"]
    assert [(each.id, each.started_by) for each in site.records(Started)] == [("i-1", "daemon")]
    assert [each.ended_by for each in site.records(Ended)] == ["daemon"]


def test_killed_between_list_and_write_nothing_is_lost(site, monkeypatch):
    site.slurm.want(7, 1, 2)
    site.run()
    monkeypatch.setattr(LedgerFiles, "append", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        site.run()
    monkeypatch.undo()
    assert not site.records(Started)
    site.start()
    site.run()
    assert {each.id for each in site.records(Started)} == {"i-1", "i-2"}


def test_ends_while_the_daemon_was_dead_are_found_from_the_open_machines(site):
    launched(site, 1)
    site.cloud.machines.clear()
    site.slurm.jobs_now.clear()
    site.slurm.set(OFF, 1)
    site.start()
    site.run(300.0)
    first = site.now
    for _ in range(13):
        site.run(10.0)
    assert [(each.id, each.ended) for each in site.records(Ended)] == [("i-1", first)]


def test_an_interrupted_write_is_cut_off(site):
    launched(site, 1)
    (day,) = site.ledger_folder.iterdir()
    whole = day.read_bytes()
    day.write_bytes(whole + b'{"kind":"machine","id":"i-9"')
    site.start()
    site.run()
    launched(site, 2)
    assert [each.id for each in site.records(Started)] == ["i-1", "i-2"]
    assert day.read_bytes().startswith(whole + b'{"kind"')


def test_a_malformed_line_is_named_and_the_rest_is_used(site):
    launched(site, 1)
    (day,) = site.ledger_folder.iterdir()
    day.write_text("nonsense\n" + day.read_text())
    site.start()
    report = site.run()
    told = [event.words for event in report.events if event.kind is EventKind.LEDGER]
    assert len(told) == 1
    assert f"{day}, line 1" in told[0]
    assert len([line for line in day.read_text().splitlines() if '"machine"' in line and '"i-1"' in line]) == 1


def test_a_full_disk_stops_nothing_and_what_it_lacks_is_written_later(site, monkeypatch):
    with monkeypatch.context() as full:
        full.setattr("os.write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        site.slurm.want(7, 1)
        report = site.run()
        told = [event.words for event in report.events if event.kind is EventKind.LEDGER]
        assert told == ["can't write the ledger: [Errno 28] No space left on device"]
        report = site.run()
        assert EventKind.LEDGER not in {event.kind for event in report.events}
        assert site.cloud.alive()
    report = site.run()
    assert [event.words for event in report.events] == ["costs are recorded again"]
    assert [each.id for each in site.records(Started)] == ["i-1"]


def test_running_sums_survive_a_restart(site):
    launched(site, 1, 2)
    spent = site.ledger.spending.month_to_date(site.now)
    assert spent == round((3.6 * 2 * (site.now - site.cloud.machines["i-1"].launched) + 0.36 * 5) / 3600 * 1e9)
    site.start()
    assert site.ledger.spending.month_to_date(site.now) == spent


def test_a_lost_ledger_is_begun_again_with_a_gap(site):
    launched(site, 1)
    began = site.cloud.machines["i-1"].launched
    for day in site.ledger_folder.iterdir():
        day.unlink()
    site.start()
    site.run(100.0)
    assert [(each.since, each.until) for each in site.records(Gap)] == [(0.0, site.now)]
    assert [each.started for each in site.records(Started)] == [began]
    assert {each.since for each in site.records(PriceSet)} == {began}


def test_a_ledger_that_is_lost_while_nothing_runs_leaves_a_gap_too(site):
    launched(site, 1)
    for day in site.ledger_folder.iterdir():
        day.unlink()
    site.cloud.machines.clear()
    site.slurm.jobs_now.clear()
    site.slurm.set(OFF, 1)
    site.start()
    site.run()
    assert [(each.since, each.until) for each in site.records(Gap)] == [(0.0, site.now)]


def test_a_new_cluster_has_no_gap(site):
    site.run()
    assert not site.records(Gap)


def test_a_daemon_that_did_not_run_for_long_leaves_a_gap(site):
    launched(site, 1)
    last = site.now
    site.run(30.0)
    site.run(70.0)
    site.start()
    site.run(3600.0)
    (gap,) = site.records(Gap)
    assert (gap.since, gap.until) == (last + 100.0, site.now)


def test_the_first_file_of_a_month_begins_with_the_state(site):
    launched(site, 1, 2)
    site.slurm.set(UP, 1)
    site.go("i-2", ended=site.now)
    site.slurm.set(OFF, 2)
    site.run()
    site.cloud.hidden.add("i-2")
    site.cloud.unknown.add("i-2")
    site.run(40 * 86400.0)
    site.run()
    launched(site, 3)
    first, second = sorted(site.ledger_folder.iterdir())
    assert (first.name, second.name) == ("1970-01-12.jsonl", "1970-02-21.jsonl")
    first.unlink()
    assert {each.id for each in site.records(Started)} == {"i-1", "i-3"}
    assert len(site.records(PriceSet)) == 2


def test_a_month_needs_no_earlier_file_if_its_first_records_are_an_end_and_a_price(site, monkeypatch):
    launched(site, 1, 2)
    site.run(40 * 86400.0)
    site.go("i-1", ended=site.now)
    site.set_prices(prices_json({M1: "7.2", M2: "1.8"}, [("head node", "head", "0.72")]))
    with monkeypatch.context() as full:
        full.setattr("os.write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        site.run()
    site.run()
    spent = site.ledger.spending.month_to_date(site.now)
    first, _ = sorted(site.ledger_folder.iterdir())
    first.unlink()
    site.start()
    assert site.ledger.spending.month_to_date(site.now) == spent > 0


def test_a_better_time_of_an_end_follows_its_machine_into_the_next_month(site):
    launched(site, 1)
    site.slurm.jobs_now.clear()
    site.slurm.set(OFF, 1)
    site.run(20 * 86400.0 - site.now % 86400 - 10.0)
    ended = site.now
    site.go("i-1", ended=ended - 1)
    site.run(30.0)
    *january, february = sorted(site.ledger_folder.iterdir())
    assert (february.name, ended) == ("1970-02-01.jsonl", 31 * 86400.0 - 10.0)
    for day in january:
        day.unlink()
    assert {each.id for each in site.records(Ended)} <= {each.id for each in site.records(Started)}
    assert site.records(Ended)[-1].ended == ended - 1


@pytest.mark.parametrize("step", [600.0, -600.0])
def test_times_are_written_again_when_the_clock_was_set(site, step):
    launched(site, 1)
    site.slurm.jobs_now.clear()
    site.slurm.set(UP, 1)
    site.run()
    site.slurm.set(OFF, 1)
    site.run()
    (ended,) = site.records(Ended)
    site.ahead = step
    site.run()
    corrected = site.records(Ended)[-1]
    assert (corrected.corrected, corrected.ended) == (1, ended.ended + step)
    assert [each.step for each in site.records(ClockSet)] == [0.0, step]
    site.start()
    site.run()
    assert len(site.records(ClockSet)) == 2


def test_no_answer_of_the_cloud_leaves_the_ledger_alone(site):
    launched(site, 1)
    before = site.records()
    site.cloud.fails["list"] = [LOST]
    site.run()
    assert site.records() == before
