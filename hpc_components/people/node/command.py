"""The command line of `hpc-people`."""

import argparse
import datetime
import fcntl
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from hpc_components.people.node.directory import Directory
from hpc_components.people.node.directory_settings import CONFIGURATION, SETTINGS_FILE, Settings
from hpc_components.people.node.follow import Follower
from hpc_components.people.node.lead import PUBLISHED, Leader
from hpc_components.people.node.name_service import read
from hpc_components.people.node.programs import run

LOCK = Path("/run/hpc/people.lock")
HOMES = Path("/home")

LEAD_SECONDS = 60.0
"""Seconds between two runs on the head node. A person who expires is out a minute after midnight."""

FOLLOW_SECONDS = 10.0
"""Seconds between two looks at the version. A look is a name lookup at the head node."""

WAIT_SECONDS = 900
"""Seconds that a booting node waits until the head node has published who may use the cluster. A login node may boot
beside the head node."""


def main() -> int:
    options = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    return options.do(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hpc-people", description="Make the people of the cluster exist here.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, do, does in (
        ("known", _known, "head node: make people known here, and nothing else"),
        ("lead", _lead, "head node: apply the description once, publish it, and end what former people still have"),
        ("serve", _serve, "head node: lead every minute"),
        ("directory", _directory, "head node: ask the directory, and show who may use the cluster according to it"),
        ("accept-removals", _accept_removals, "head node: lead once, however many people have left the directory"),
        ("begin", _begin, "other nodes: wait for the published document, and apply it"),
        ("follow", _follow, "other nodes: apply each new version of the published document"),
    ):
        command = commands.add_parser(name, help=does, description=does)
        command.set_defaults(do=do)
        if do in (_begin, _follow):
            command.add_argument("--homes", action="store_true", help="make home directories, which are not shared")
        if do in (_lead, _serve):
            command.add_argument("--personal-keys", action="store_true", help="make a key for each person")
    return parser


def _known(_: argparse.Namespace) -> int:
    with _alone():
        return _report(_leader().make_known(_today())[1])


def _lead(options: argparse.Namespace) -> int:
    with _alone():
        return _report(_leader(personal_keys=options.personal_keys).lead(_today()))


def _serve(options: argparse.Namespace) -> int:
    leader = _leader(personal_keys=options.personal_keys)
    return _again_and_again(lambda: leader.lead(_today()), LEAD_SECONDS)


def _directory(_: argparse.Namespace) -> int:
    directory = _described_directory()
    if directory is None:
        return _report(["the description has no people.directory"])
    try:
        found = directory.ask()
    except OSError as error:
        return _report([f"directory: {error}"])
    groups: dict[str, list[str]] = {}
    for group, one in found.document.groups.items():
        for name in one.members:
            groups.setdefault(name, []).append(group)
    for name, person in sorted(found.document.people.items()):
        keys = f"{len(person.keys)} key{'' if len(person.keys) == 1 else 's'}"
        print(name, person.uid, keys, person.account or "-", ",".join(groups.get(name, ())) or "-", sep="\t")
    _report(found.left_out)
    return 0


def _accept_removals(_: argparse.Namespace) -> int:
    with _alone():
        return _report(_leader(accept_removals=True).lead(_today()))


def _leader(*, personal_keys: bool = False, accept_removals: bool = False) -> Leader:
    directory = _described_directory()
    return Leader(_publish, directory=directory, personal_keys=personal_keys, accept_removals=accept_removals)


def _described_directory() -> Directory | None:
    text = read(CONFIGURATION / SETTINGS_FILE)
    return Directory(Settings.read(text), _read_password) if text else None


def _begin(options: argparse.Namespace) -> int:
    with _alone():
        _report(_follower(options).begin(WAIT_SECONDS))
    return 0  # a conflict concerns one person, and must not keep the node out of the cluster


def _follow(options: argparse.Namespace) -> int:
    return _again_and_again(_follower(options).follow, FOLLOW_SECONDS)


def _follower(options: argparse.Namespace) -> Follower:
    return Follower(_fetch, homes=HOMES if options.homes else None)


@contextmanager
def _alone() -> Generator[None]:
    """Keep other runs of this program on this node from interfering."""
    LOCK.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _again_and_again(act: Callable[[], Sequence[str]], seconds: float) -> NoReturn:
    """Act until SIGTERM. Report each problem once, until another one comes up or it is resolved."""
    said: Sequence[str] = ()
    while True:
        try:
            with _alone():
                wrong = tuple(act())
        except (OSError, ValueError, KeyError) as error:
            wrong = (str(error),)
        if wrong != said:
            _report(wrong)
        said = wrong
        time.sleep(seconds)


def _report(wrong: Sequence[str]) -> int:
    for sentence in wrong:
        print(f"hpc-people: {sentence}", file=sys.stderr, flush=True)
    return 1 if wrong else 0


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.timezone.utc).date()  # noqa: UP017 (Python 3.10)


def _publish(file: Path) -> None:
    _verb("publish", PUBLISHED, str(file))


def _fetch(file: Path, seconds: int) -> None:
    _verb("published", PUBLISHED, str(file), str(seconds))


def _read_password(secret: str) -> str:
    return _verb("read_password", secret).rstrip("\n")


def _verb(*words: str) -> str:
    """Call a verb of the cloud's scripts (`common/cloud.sh`), and return its output. Raise OSError with its last line
    if it fails."""
    script = 'set -Eeuo pipefail -a; source /etc/hpc/environment; set +a; source common/node.sh; "$@"'
    return run(["bash", "-c", script, "hpc-people", *words], f"{words[0]} {words[1]}", folder=CONFIGURATION)
