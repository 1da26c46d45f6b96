"""The command line, in this process; Slurm's commands are stand-ins that write what was recorded."""

import json
import os
import re
import signal
import socket
import socketserver
import subprocess
import threading
from pathlib import Path

import pytest
from serving import serving

from hpc_components.boot.archive import archive
from hpc_components.elastic import command
from hpc_components.elastic.drivers.local.driver import answer
from hpc_components.elastic.ledger.file import LedgerFiles, read
from hpc_components.elastic.ledger.records import Ended, Gap

RECORDED = Path(__file__).parent / "slurm/recorded/24.11.5"
POOL = {"machine": "m", "zone": "z", "purchase": "on_demand"}
CONFIG = {
    "version": 1,
    "cluster": "cfd",
    "cloud": "local",
    "queues": [{"name": "compute-queue", "max": 9, "pools": [POOL]}],
}


class Cloud:
    """Has nothing, and makes nothing."""

    def list(self):
        return []

    def launch(self, launch):
        return []


@pytest.fixture
def config(tmp_path):
    """The file, and a cloud that answers at its socket."""
    (tmp_path / "elastic.json").write_text(json.dumps(CONFIG | {"socket": str(tmp_path / "cloud")}))

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(answer(Cloud(), self.rfile.readline()))

    with serving(socketserver.UnixStreamServer(str(tmp_path / "cloud"), Handler)):
        yield tmp_path / "elastic.json"


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """scontrol and squeue; a file `away` beside them makes them fail, one called `slow` makes them late."""
    for name, file in (("scontrol", "nodes.txt"), ("squeue", "jobs.txt")):
        program = tmp_path / name
        away = 'if [ -e "$(dirname "$0")/away" ]; then echo "Unable to contact slurm controller" >&2; exit 1; fi'
        away += '\nif [ -e "$(dirname "$0")/slow" ]; then exec sleep 0.5; fi'
        program.write_text(
            f'#!/bin/sh\n{away}\n[ "$1" = update ] || exec cat {RECORDED / file}\necho "$@" >>{tmp_path}/updates\n'
        )
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


@pytest.fixture
def paths(tmp_path, monkeypatch):
    """What the daemon uses, out of the way of one that may run here; and what it tells systemd."""
    monkeypatch.setattr(command, "SOCKET", tmp_path / "socket")
    for name in ("elastic", "names", "names-off"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "elastic"))
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    before = [(number, signal.getsignal(number)) for number in (signal.SIGTERM, signal.SIGINT)]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield systemd
    for number, handler in before:
        signal.signal(number, handler)


def when_it_ran(systemd, then):
    """Do something once a cycle was run, then send SIGTERM; all that systemd was told, later."""
    told = []

    def follow():
        while "STOPPING=1" not in told:
            told.append(systemd.recv(1000).decode())
            if told[-1].startswith("WATCHDOG=1"):
                then()
                os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=follow)
    thread.start()
    return told, thread


def test_it_runs_until_it_is_told_to_stop(config, slurm, paths, capsys):
    told, thread = when_it_ran(paths, lambda: command.main(["status"]))
    assert command.main(["run", str(config)]) == 0
    thread.join()
    assert told[0] == "READY=1"
    assert told[1] == "WATCHDOG=1\nSTATUS=all is well"
    assert told[-1] == "STOPPING=1"
    assert not (config.parent / "socket").exists()
    assert "hpc-elastic on cluster cfd: all is well" in capsys.readouterr().out
    (name, address), *_ = (line.split()[::-1] for line in (config.parent / "names/nodes").read_text().splitlines())
    updates = (config.parent / "updates").read_text().splitlines()
    assert f"update nodename={name} nodeaddr={address}" in updates


def test_status_says_by_its_exit_code_that_something_is_wrong(config, slurm, paths, capsys):
    (config.parent / "away").touch()
    codes = []
    _, thread = when_it_ran(paths, lambda: codes.append(command.main(["status", "--format", "json"])))
    assert command.main(["run", str(config)]) == 0
    thread.join()
    assert codes == [1]
    assert "Slurm does not answer: scontrol: Unable to contact slurm controller" in capsys.readouterr().out


def test_a_port_that_is_taken_is_no_reason_not_to_run(config, slurm, paths, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        _, thread = when_it_ran(paths, lambda: None)
        assert command.main(["run", str(config), "--metrics", address]) == 0
        thread.join()
    assert f"hpc-elastic: cannot serve metrics at {address}: Address already in use" in capsys.readouterr().err


def test_the_check_says_what_is_wrong(config, slurm, capsys):
    assert command.main(["check", str(config)]) == 0
    assert capsys.readouterr().out.count("ok   ") == 3
    (config.parent / "away").touch()
    assert command.main(["check", str(config)]) == 1
    assert "wrong  Slurm: scontrol: Unable to contact slurm controller" in capsys.readouterr().out


def test_without_a_daemon_status_says_where_to_look(paths, capsys):
    assert command.main(["status"]) == 3
    assert "systemctl status hpc-elastic" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file or directory"),
        ("{", "not JSON"),
        ('{"version": 2}', "version: 2 is not supported"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_wrong_configuration_is_one_line(tmp_path, capsys, text, words):
    path = tmp_path / "elastic.json"
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    for verb in ("run", "check"):
        assert command.main([verb, str(path)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"hpc-elastic: error: {path}: ")
        assert words in said
        assert said.count("\n") == 1


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_an_address_that_is_none_is_one_line(cloud, monkeypatch, capsys):
    monkeypatch.setenv("IMDS", "here")
    assert command.main(["watch", cloud]) == 1  # 2 would keep systemd from trying again
    assert capsys.readouterr().err.startswith("hpc-elastic: error: IMDS: 'here' is not an address")


def test_the_packed_daemon_finds_the_drivers(tmp_path):
    path = tmp_path / "hpc-elastic"
    path.write_bytes(archive("aws"))
    path.chmod(0o755)
    config = {"version": 1, "cluster": "c", "cloud": "azur", "queues": []}
    (tmp_path / "elastic.json").write_text(json.dumps(config))

    def said(*arguments):
        return subprocess.run([path, *arguments], env={"IMDS": "here"}, capture_output=True, text=True).stderr

    assert "cloud: 'azur' is not one of aws, local" in said("check", tmp_path / "elastic.json")
    assert "IMDS: 'here' is not an address" in said("watch")
    assert "IMDS: 'here' is not an address" in said("watch", "aws")
    assert "local: machines in this cloud receive no notices; pass one of aws" in said("watch", "local")


@pytest.mark.parametrize("verb", [[], ["run"], ["status"], ["watch"], ["check"]])
def test_each_verb_explains_itself(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main([*verb, "--help"])
    assert ended.value.code == 0
    assert len(capsys.readouterr().out) > 100


@pytest.mark.parametrize("arguments", [[], ["fly"], ["run", "--log", "xml"]])
def test_wrong_usage_ends_with_two(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2


def test_a_ledger_without_a_gap_needs_no_rebuilding(config, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "STATE", tmp_path)
    assert command.main(["ledger", "rebuild", "--config", str(config)]) == 0
    assert re.fullmatch(r"the ledger has no gap since .*-01T00:00:00 UTC, so .*\n", capsys.readouterr().out)


def test_a_lost_ledger_is_rebuilt_from_jobs(config, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "STATE", tmp_path)
    files = LedgerFiles(tmp_path / "ledger")
    files.append([Gap(since=0.0, until=2000.0, why="the ledger was lost")], 2000.0)
    answers = {"scontrol": "SuspendTime = 300 sec", "sacct": "7|1000|1100|compute-queue-[1-2]", "squeue": ""}
    for name, told in answers.items():
        (tmp_path / name).write_text(f'#!/bin/sh\n[ "$TZ" = UTC ] && echo "{told}"\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    rebuild = ["ledger", "rebuild", "--config", str(config)]
    assert command.main(rebuild) == 0
    assert "has no gap since" in capsys.readouterr().out, "an upgraded cluster has years of jobs"
    rebuild += ["--since", "1970-01-01"]
    assert command.main(rebuild) == 0
    assert capsys.readouterr().out.startswith(
        "2 machines since 1970-01-01T00:00:00 UTC were added; restart hpc-elastic"
    )
    ends = [each for each in read(files.days(), print) if isinstance(each, Ended)]
    assert [(each.id, each.ended) for each in ends] == [
        ("rebuilt-compute-queue-1-1000", 1400.0), ("rebuilt-compute-queue-2-1000", 1400.0),
    ]  # fmt: skip
    assert [each.name for each in files.days()] == ["1970-01-01.jsonl"], "only the daemon can begin a month"
    assert files.written() == 2000.0, "the daemon has not run since"
    assert command.main(rebuild) == 0
    assert capsys.readouterr().out.startswith("0 machines since")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--since", "2100-01-01"], "--since must be before --until, and not in the future"),
        (["--since", "2026-11-02", "--until", "2026-11-01"], "--since must be before --until, and not in the future"),
    ],
)
def test_a_period_that_is_empty_is_refused(options, words, config, monkeypatch, capsys):
    assert command.main(["ledger", "export", "--config", str(config), *options]) == 1
    assert capsys.readouterr().err == f"hpc-elastic: error: {words}\n"


def test_a_day_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit) as raised:
        command.main(["ledger", "export", "--since", "november"])
    assert raised.value.code == 2
    assert "argument --since: invalid day value: 'november'" in capsys.readouterr().err
