"""What is kept of finished months, and when it is read again."""

import datetime
from collections.abc import Sequence
from pathlib import Path

import pytest

from hpc_components.bill.node import months
from hpc_components.bill.node.spending import Run

NOW = datetime.datetime(2026, 4, 1).timestamp()
DAY = 86400.0


class Records:
    """slurmdbd, with a run from the 31st of January to the 2nd of February, and one that has not ended."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails_in = ""

    def runs_since(self, since: float, *, until: float) -> list[Run]:
        month = datetime.datetime.fromtimestamp(since).strftime("%Y-%m")
        if month == self.fails_in:
            raise OSError("no answer")
        self.asked.append(month)
        begin = datetime.datetime(2026, 2, 1).timestamp() - DAY
        over, on = run(begin, begin + 2 * DAY), run(datetime.datetime(2026, 3, 31).timestamp(), None)
        return [one for one in (over, on) if one.start < until and (one.end is None or one.end > since)]


def run(start: float, end: float | None) -> Run:
    return Run(job="1", user="ada", account="lab", start=start, end=end, billing=60, limit=None)


def same(runs: Sequence[Run]) -> Sequence[Run]:
    return runs


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> Records:
    found = Records()
    monkeypatch.setattr(months, "runs_since", found.runs_since)
    return found


def test_each_month_is_read_once(records: Records, tmp_path: Path) -> None:
    spent = {("lab", "ada"): 3 * 86400 * 60}
    assert months.earlier(NOW, same, tmp_path / "kept") == spent
    assert records.asked == ["2026-01", "2026-02", "2026-03"]
    assert months.earlier(NOW, same, tmp_path / "kept") == spent
    assert len(records.asked) == 3
    months.earlier(NOW + 30 * DAY, same, tmp_path / "kept")
    assert records.asked[3:] == ["2026-04"]


@pytest.mark.parametrize("damage", [b"", b"x", b"\xff\xfe", b"0\n{}"])
def test_a_damaged_file_is_made_anew(records: Records, tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "kept"
    spent = months.earlier(NOW, same, file)
    file.write_bytes(damage)
    assert months.earlier(NOW, same, file) == spent
    text = file.read_text()
    file.write_text(text.replace(str(2 * 86400 * 60), "1").replace(str(86400 * 60), "1"))
    assert months.earlier(NOW, same, file) == spent
    assert len(records.asked) == 9


def test_what_is_known_is_kept_if_slurmdbd_stops_answering(records: Records, tmp_path: Path) -> None:
    records.fails_in = "2026-03"
    with pytest.raises(months.UnknownError, match="what was spent in 2026-03: no answer") as failed:
        months.earlier(NOW, same, tmp_path / "kept")
    assert failed.value.known == {("lab", "ada"): 2 * 86400 * 60}
    records.fails_in = ""
    months.earlier(NOW, same, tmp_path / "kept")
    assert records.asked == ["2026-01", "2026-02", "2026-03"]


def test_a_month_that_a_wrong_clock_finished_is_read_again(records: Records, tmp_path: Path) -> None:
    months.earlier(NOW, same, tmp_path / "kept")
    months.earlier(NOW - 2 * DAY, same, tmp_path / "kept")
    months.earlier(NOW, same, tmp_path / "kept")
    assert records.asked == ["2026-01", "2026-02", "2026-03", "2026-03"]
