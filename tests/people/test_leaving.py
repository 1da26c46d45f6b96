import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpc_components.people.node import leaving
from hpc_components.people.node.leaving import Spool, end_all

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to run processes as others")

GONE, HERE = 471_001, 471_002
"""Ids that no one has on this machine."""


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    spool = Spool(tmp_path / "crontabs", tmp_path / "atjobs", tmp_path / "linger", tmp_path / "sessions")
    for folder in (spool.crontabs, spool.at_jobs, spool.linger, spool.sessions):
        folder.mkdir()
    return spool


@pytest.fixture
def of_gone() -> Iterator[subprocess.Popen[bytes]]:
    """A process that ignores SIGTERM, and one that it has started."""
    script = "trap '' TERM; sleep 600 & echo; wait; sleep 600"
    with subprocess.Popen(["sh", "-c", script], user=GONE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        process.stdout.readline()
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def test_processes_of_former_people_end_and_of_others_go_on(spool: Spool, of_gone: subprocess.Popen[bytes]) -> None:
    with subprocess.Popen(["sleep", "600"], user=HERE) as other:
        try:
            assert end_all({GONE: "bob"}, spool) == (f"ended the sessions and processes of bob ({GONE})",)
            assert of_gone.wait(10) == -signal.SIGKILL
            assert other.poll() is None
            assert end_all({GONE: "bob"}, spool) == ()
        finally:
            other.kill()


def test_cron_and_at_jobs_of_former_people_are_removed(spool: Spool) -> None:
    for name in ("bob", "ada"):
        (spool.crontabs / name).write_text("* * * * * true\n")
        (spool.linger / name).touch()
    for name, owner in (("a1", GONE), ("a2", HERE)):
        (spool.at_jobs / name).touch()
        os.chown(spool.at_jobs / name, owner, owner)
    end_all({GONE: "bob"}, spool)
    left = [
        sorted(file.name for file in folder.iterdir()) for folder in (spool.crontabs, spool.linger, spool.at_jobs)
    ]
    assert left == [["ada"], ["ada"], ["a2"]]


def test_processes_of_the_system_are_never_ended(spool: Spool) -> None:
    with subprocess.Popen(["sleep", "600"], user=999) as system:
        try:
            assert end_all({999: "bob"}, spool) == ()
            assert system.poll() is None
        finally:
            system.kill()


def test_a_process_that_does_not_end_is_reported(
    spool: Spool, of_gone: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaving, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(os, "kill", lambda *_: None)
    with pytest.raises(OSError, match=r"processes of bob do not end, e\.g\. \d+"):
        end_all({GONE: "bob"}, spool)
