"""Budgets in the file that node_exporter reads."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hpc_components.bill.node import metrics
from hpc_components.bill.node.command import main
from hpc_components.bill.node.standing import Standing


def standing(kind: str, name: str, spent: int) -> Standing:
    return Standing(
        kind=kind, name=name, account=name, user="", period="month", renews=None,
        limit=200_000_000, spent=spent, reserved=5,
    )  # fmt: skip


BUDGETS = [standing("organization", "acme", 190_000_000), standing("person", "o'neill-2", -1)]

EXPECTED = """\
# HELP hpc_budget_dollars Budget of a period.
# TYPE hpc_budget_dollars gauge
hpc_budget_dollars{kind="organization",name="acme",period="month"} 200
hpc_budget_dollars{kind="person",name="o'neill-2",period="month"} 200
# HELP hpc_budget_spent_dollars Spent of the budget in this period.
# TYPE hpc_budget_spent_dollars gauge
hpc_budget_spent_dollars{kind="organization",name="acme",period="month"} 190
hpc_budget_spent_dollars{kind="person",name="o'neill-2",period="month"} -0.000001
# HELP hpc_budget_reserved_dollars What running jobs may still cost.
# TYPE hpc_budget_reserved_dollars gauge
hpc_budget_reserved_dollars{kind="organization",name="acme",period="month"} 0.000005
hpc_budget_reserved_dollars{kind="person",name="o'neill-2",period="month"} 0.000005
"""


def concerned(monkeypatch: pytest.MonkeyPatch, budgets: Sequence[Standing] | OSError) -> None:
    class Concerns:
        def __init__(self) -> None:
            if isinstance(budgets, OSError):
                raise budgets
            self.budgets = budgets

    monkeypatch.setattr(metrics, "my_concerns", Concerns)


def test_the_file_has_every_budget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    concerned(monkeypatch, BUDGETS)
    monkeypatch.setattr("sys.argv", ["hpc-bill", "metrics", str(tmp_path / "budgets.prom")])
    assert main() == 0
    assert [file.name for file in tmp_path.iterdir()] == ["budgets.prom"]
    assert (tmp_path / "budgets.prom").read_text() == EXPECTED


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool (Debian: prometheus)")
def test_prometheus_accepts_the_file() -> None:
    made = metrics.exposition(BUDGETS)
    done = subprocess.run(["promtool", "check", "metrics"], input=made, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_amount_is_left_when_slurm_does_not_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "budgets.prom"
    file.write_text(EXPECTED)
    concerned(monkeypatch, OSError("scontrol: no answer"))
    monkeypatch.setattr("sys.argv", ["hpc-bill", "metrics", str(file)])
    assert main() == 1
    assert not file.exists()
