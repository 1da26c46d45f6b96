import pytest

from hpc_components.people.node.jobs import HELD, settle_jobs


class Slurm:
    """Answers `squeue`, and remembers other commands."""

    def __init__(self, *jobs: tuple[str, int, str, str]) -> None:
        self._jobs = jobs
        self.asked: list[str] = []

    def __call__(self, command: list[str]) -> str:
        if command[0] == "squeue":
            return "".join(f"{id:<20}{user:<20}{state:<20}{comment:<60}\n" for id, user, state, comment in self._jobs)
        self.asked.append(" ".join(command))
        return ""


def test_jobs_of_someone_who_has_left_are_cancelled() -> None:
    slurm = Slurm(
        ("7", 2001, "RUNNING", ""),
        ("8", 2001, "PENDING", ""),
        ("9", 2002, "RUNNING", ""),
        ("6", 2001, "COMPLETING", ""),
    )
    assert settle_jobs({2001}, {2002}, "cancel", slurm) == ("cancelled jobs 7, 8",)
    assert slurm.asked == ["scancel 7 8"]


def test_waiting_jobs_may_be_held_instead() -> None:
    slurm = Slurm(("7", 2001, "RUNNING", ""), ("8", 2001, "PENDING", ""), ("9", 2001, "PENDING", HELD))
    assert settle_jobs({2001}, (), "hold", slurm) == ("cancelled jobs 7", "held jobs 8")
    assert slurm.asked == ["scancel 7", "scontrol hold 8", f"scontrol update jobid=8 admincomment={HELD}"]


def test_held_jobs_are_released_when_their_owner_returns() -> None:
    slurm = Slurm(("8", 2001, "PENDING", HELD), ("9", 2001, "PENDING", "held by an administrator"))
    assert settle_jobs((), {2001}, "hold", slurm) == ("released jobs 8",)
    assert slurm.asked == ["scontrol update jobid=8 admincomment=", "scontrol release 8"]


def test_many_jobs_are_cancelled_in_few_commands() -> None:
    slurm = Slurm(*((str(number), 2001, "PENDING", "") for number in range(1001)))
    settle_jobs({2001}, (), "cancel", slurm)
    assert [len(command.split()) - 1 for command in slurm.asked] == [500, 500, 1]


def test_a_silent_slurm_is_an_error() -> None:
    def silent(command: list[str]) -> str:
        raise OSError("squeue: slurm_load_jobs error: Unable to contact slurm controller")

    with pytest.raises(OSError, match="Unable to contact"):
        settle_jobs({2001}, (), "cancel", silent)
