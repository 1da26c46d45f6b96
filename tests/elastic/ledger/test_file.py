"""The files of the ledger: what is read, and what is left of a write that was interrupted."""

import pytest

from elastic.ledger.test_spending import DECEMBER, started
from hpc_components.elastic.ledger.file import LedgerFiles, read
from hpc_components.elastic.ledger.records import (
    ClockSet,
    Ended,
    Gap,
    PriceSet,
    Registered,
    Seen,
    ServiceSet,
    line_of,
    record_of,
)

DAY = 86400.0


def ids(paths):
    return [each.id for each in read(paths, print)]


def test_a_daemon_reads_the_last_month_and_the_file_before_it(tmp_path):
    files = LedgerFiles(tmp_path)
    for number in (-40, -2, -1, 0, 3):
        files.append([started(f"i{number}", DECEMBER)], DECEMBER + number * DAY)
    (tmp_path / "notes.txt").write_text("not ours")
    assert [each.name for each in files.recent()] == ["2026-11-30.jsonl", "2026-12-01.jsonl", "2026-12-04.jsonl"]
    assert len(files.days()) == 5


def test_a_folder_that_is_not_there_is_empty(tmp_path):
    files = LedgerFiles(tmp_path / "none")
    assert (files.days(), files.recent(), files.written()) == ([], [], None)


@pytest.mark.parametrize("cut", [1, 2, 50, 100])
def test_a_write_that_was_interrupted_anywhere_loses_that_record_only(cut, tmp_path):
    files = LedgerFiles(tmp_path)
    files.append([started("i-1", DECEMBER)], DECEMBER)
    files.append([started("i-2", DECEMBER)], DECEMBER)
    (day,) = files.days()
    day.write_bytes(day.read_bytes()[:-cut])
    assert ids([day]) == ["i-1"]
    files.append([started("i-3", DECEMBER)], DECEMBER)
    assert ids([day]) == ["i-1", "i-3"]


def test_a_first_file_that_was_interrupted_is_begun_again(tmp_path):
    files = LedgerFiles(tmp_path)
    (tmp_path / "2026-12-01.jsonl.new").write_text('{"kind":"machine","id":"i-0"')
    files.append([started("i-1", DECEMBER)], DECEMBER)
    assert ids(files.days()) == ["i-1"]
    assert [each.name for each in tmp_path.iterdir()] == ["2026-12-01.jsonl"]


def test_files_are_of_their_owner_alone(tmp_path):
    files = LedgerFiles(tmp_path / "ledger")
    files.append([started("i-1", DECEMBER)], DECEMBER)
    (day,) = files.days()
    assert (oct(files.folder.stat().st_mode & 0o777), oct(day.stat().st_mode & 0o777)) == ("0o700", "0o600")


ORIGIN = {"basis": "list", "source": "s", "as_of": "2026"}


@pytest.mark.parametrize(
    "record",
    [
        started("i-1", DECEMBER + 0.125),
        Registered(id="i-1", at=1.5, corrected=2),
        Ended(id="i-1", ended=1.0, ended_by="list", why="idle"),
        Seen(id="i-1", at=2.0),
        PriceSet(since=1.0, queue="q", machine="m", zone="z", purchase="spot", usd_per_hour=None, **ORIGIN),
        ServiceSet(since=1.0, what="head node", group="head", usd_per_hour="0.5", **ORIGIN),
        ClockSet(at=1.0, step=0.0, boot="b", epoch=1.0),
        Gap(since=0.0, until=1.0, why="nothing was recorded before"),
    ],
)
def test_a_record_is_read_as_it_was_written(record):
    assert record_of(line_of(record)) == record


def test_records_of_a_later_version_are_skipped():
    assert record_of('{"kind":"tax","usd":"1"}') is None
    assert record_of('{"kind":["tax"]}') is None
    assert record_of('{"kind":"seen","id":"i-1","at":1.0,"more":2}') == Seen(id="i-1", at=1.0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[]", "not a record"),
        ("{}", "not a record"),
        ("x", "Expecting value"),
        ('{"kind":"seen","id":"i-1"}', "'at'"),
        ('{"kind":"seen","id":7,"at":1}', "id: 7 is not valid"),
        ('{"kind":"seen","id":"i-1","at":"noon"}', "at: 'noon' is not valid"),
        ('{"kind":"seen","id":"i-1","at":NaN}', "at: nan is not valid"),
        ('{"kind":"ended","id":"i-1","ended":1,"ended_by":"luck","why":"idle"}', "ended_by: 'luck' is not valid"),
        ('{"kind":"service","since":1,"what":"w","usd_per_hour":"1e3"}', "usd_per_hour: '1e3' is not valid"),
        ('{"kind":"registered","id":"i-1","at":1,"corrected":1.5}', "corrected: 1.5 is not valid"),
    ],
)
def test_a_malformed_line_is_refused(line, words):
    with pytest.raises(ValueError, match=words):
        record_of(line)
