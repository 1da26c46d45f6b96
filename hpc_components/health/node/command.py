"""The command line of `hpc-health`."""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from hpc_components.health.node import history, wanted
from hpc_components.health.node.drain import drain, drain_later, reason_of, this_node
from hpc_components.health.node.looks import Look, failures, run_checks
from hpc_components.health.node.machine import Machine
from hpc_components.health.node.verdict import Verdict
from hpc_components.health.node.wanted import Wanted, read_wanted

MOMENTS = ("boot", "prolog", "epilog", "idle")

UNHEALTHY = 3
"""Exit code if a check has failed. Python exits with 1 if the program itself is broken, which must drain no node."""


def main() -> int:
    options = _parser().parse_args()
    try:
        return options.do(options)
    except (OSError, ValueError, KeyError) as error:
        print(f"hpc-health: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hpc-health",
        description="Check whether this node is healthy.",
        epilog="Exit code: 0 if it is, 3 if a check has failed, 1 if it could not check, 2 for a wrong argument.",
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    check = verbs.add_parser("check", help="Run the checks of a moment.")
    check.add_argument("--at", choices=MOMENTS, default="idle", help="The moment. Default: idle.")
    check.add_argument("--drain", action="store_true", help="Drain the node in Slurm if a check fails.")
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.add_argument("--root", type=Path, default=Path("/"), help="Read files of a machine below this directory.")
    check.set_defaults(do=_check)
    listed = verbs.add_parser("list", help="List the checks of this node, with their moments and limits.")
    listed.add_argument("--root", type=Path, default=Path("/"), help="Read files of a machine below this directory.")
    listed.set_defaults(do=_list)
    mark = verbs.add_parser("drain", help="Drain this node in Slurm, unless an administrator has.")
    mark.add_argument("reason")
    mark.set_defaults(do=_drain)
    return parser


def _wanted(root: Path) -> Wanted:
    text = (root / wanted.FILE.lstrip("/")).read_text(encoding="utf-8")
    return read_wanted(text, this_node().rpartition("-")[0])


def _check(options: argparse.Namespace) -> int:
    kept = options.root / str(history.FILE).lstrip("/")
    before = history.read_history(kept)
    look = Look(
        moment=options.at,
        wanted=_wanted(options.root),
        now=time.time(),
        machine=Machine(options.root),
        history=before,
    )
    verdicts = run_checks(look)
    if options.at == "idle":
        history.write_history(kept, look.history)
    _show(verdicts, options.format)
    found = list(failures(verdicts))
    if found and options.drain:
        _drain_for(options.at, reason_of(found))
    return UNHEALTHY if found else 0


def _drain_for(moment: str, reason: str) -> None:
    if moment in ("prolog", "epilog"):
        drain_later(["drain", reason])
    else:
        _log(drain(this_node(), reason))


def _show(verdicts: Mapping[str, Verdict], form: str) -> None:
    if form == "json":
        rows = [{"check": name, "level": one.level.value, "what": one.what} for name, one in verdicts.items()]
        print(json.dumps(rows, indent=1))
        return
    for name, one in verdicts.items():
        print(f"{one.level.value}  {name}" + (f": {one.what}" if one.what else ""))
    for failure in failures(verdicts):  # last, because whoever runs the program reports its last line
        print(failure)


def _list(options: argparse.Namespace) -> int:
    asked = _wanted(options.root)
    for name, moments in asked.checks.items():
        limits = ", ".join(f"{key} {value}" for key, value in asked.limits[name].items())
        print(f"{name}: {', '.join(moments)}" + (f" ({limits})" if limits else ""))
    return 0


def _drain(options: argparse.Namespace) -> int:
    _log(drain(this_node(), options.reason))
    return 0


def _log(words: str) -> None:
    """Write to stdout and to the system's log, because Slurm keeps nothing of what its health check writes."""
    print(words)
    quiet = subprocess.DEVNULL
    subprocess.run(["logger", "-t", "hpc-health", words], check=False, stdin=quiet, stdout=quiet, stderr=quiet)
