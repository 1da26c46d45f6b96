"""Every column that programs ask squeue for exists: of one that doesn't, squeue says so and leaves it out."""

import shlex
from collections.abc import Sequence

import pytest

from hpc_components.bill.node import queue as bill_queue
from hpc_components.elastic.slurm.scontrol import Scontrol
from hpc_components.people.node.jobs import HELD, settle_jobs
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands by which programs ask for jobs."""
    asked: list[str] = []

    def run(command: Sequence[str]) -> str:
        asked.append(shlex.join(command))
        return ""

    scontrol = Scontrol(run)
    scontrol.jobs()
    scontrol.bound()
    scontrol.waiting()
    settle_jobs((), (), "hold", run)
    monkeypatch.setattr(bill_queue, "output_of", lambda *command: run(command))
    bill_queue.jobs(list(bill_queue._WIDTHS))
    return asked


def test_squeue_knows_all_columns(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = commands(monkeypatch)
    assert len(asked) == 5
    script = f"""as alice sbatch -Q -H -D /tmp --wrap true
        scontrol update jobid=1 admincomment={shlex.quote(HELD)}
        id -u alice"""
    shown = release.run(
        cluster(queue(machine="c7i.2xlarge", max=1)),
        "\n".join([script, *(f"echo ---; {each} 2>&1" for each in asked)]),
    ).output
    assert "Invalid" not in shown, shown
    told = dict(zip(["alice", *asked], shown.split("---\n"), strict=True))
    (of_people,) = (each for each in asked if "UserID" in each)
    answers = {of_people: told[of_people]}
    done = settle_jobs((), (int(told["alice"]),), "hold", lambda command: answers.get(shlex.join(command), ""))
    assert done == ("released jobs 1",), "the comment of a held job is read"
