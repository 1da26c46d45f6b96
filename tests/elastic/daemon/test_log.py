"""Nothing but JSON in the log of `hpc-elastic run --log json`, whatever goes wrong; the daemon is a process."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elastic.test_command import config, slurm  # noqa: F401

HERE = Path(__file__).parent
KEYS = {"time": float, "kind": str, "nodes": str, "words": str}


@pytest.fixture
def folder(config, slurm, monkeypatch):  # noqa: F811
    """Configuration, Slurm and state of a daemon."""
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    for name in ("elastic", "names", "names-off"):
        (config.parent / name).mkdir()
    return config.parent


def start(fault, folder, stdout=subprocess.PIPE):
    command = [sys.executable, HERE / "faulty_daemon.py", fault, folder]
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.STDOUT, text=True)


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def lines_of(daemon):
    """The log until the end, read as a program would."""
    said, _ = daemon.communicate(timeout=30)
    lines = [json.loads(line) for line in said.splitlines()]
    for line in lines:
        assert {key: type(value) for key, value in line.items()} == KEYS
    return lines


LOGGED = {
    "driver": ("fault", "ZeroDivisionError: a driver\nof two lines"),
    "thread": ("fault", "ZeroDivisionError: a driver\nof two lines"),
    "unraisable": ("fault", "ZeroDivisionError: a driver\nof two lines"),
    "metrics": ("fault", "ZeroDivisionError: a driver\nof two lines"),
    "warning": ("stderr", "UserWarning: an old API"),
    "logger": ("stderr", "Connection pool is full"),
    "broken logger": ("stderr", "--- Logging error ---"),
    "print": ("stderr", "one two"),
    "slurm": ("slurm_away", "Unable to contact slurm controller"),
    "slow slurm": ("slurm_away", "no response in"),
}


@pytest.mark.parametrize("fault", LOGGED)
def test_what_goes_wrong_is_logged_as_json_and_survived(folder, fault):
    daemon = start(fault, folder)
    until((folder / "done").exists)
    daemon.send_signal(signal.SIGTERM)
    kind, words = LOGGED[fault]
    assert [line for line in lines_of(daemon) if line["kind"] == kind and words in line["words"]]
    assert daemon.returncode == 0


def test_an_error_that_ends_the_daemon_is_one_json_line(folder):
    daemon = start("loop", folder)
    (line,) = (line for line in lines_of(daemon) if line["kind"] == "fault")
    assert line["words"].startswith("Traceback")
    assert daemon.returncode == 1


def test_a_wrong_configuration_is_one_json_line(folder):
    (folder / "elastic.json").write_text("{")
    daemon = start("nothing", folder)
    (line,) = lines_of(daemon)
    assert "not JSON" in line["words"]
    assert daemon.returncode == 2


@pytest.mark.parametrize("content", [b"\xff", b"[", b'{"version": 1}'])
def test_a_journal_that_can_t_be_read(folder, content):
    (folder / "elastic/journal.json").write_bytes(content)
    daemon = start("nothing", folder)
    until((folder / "done").exists)
    daemon.send_signal(signal.SIGTERM)
    lines_of(daemon)
    assert daemon.returncode == 0


def test_a_disk_full_from_the_first_byte_does_not_end_the_daemon(folder):
    """Names and journal can't be written."""
    daemon = start("disk", folder)
    until((folder / "done").exists)
    daemon.send_signal(signal.SIGTERM)
    assert "unpublished" in {line["kind"] for line in lines_of(daemon)}
    assert daemon.returncode == 0


def test_a_signal_in_the_midst_of_a_cycle_waits_for_the_answer(folder):
    """Slurm is slow then: the daemon ends after the answer."""
    daemon = start("slow slurm", folder)
    until((folder / "slow").exists)
    daemon.send_signal(signal.SIGTERM)
    lines_of(daemon)
    assert daemon.returncode == 0


def test_a_log_that_takes_no_line_ends_nothing(folder):
    with open("/dev/full", "w") as full:
        daemon = start("slurm", folder, stdout=full)
    until((folder / "done").exists)
    assert daemon.poll() is None
    daemon.kill()
    daemon.wait()
