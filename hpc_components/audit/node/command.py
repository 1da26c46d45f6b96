"""The command line of `hpc-audit`."""

import argparse
import json
import sys
import time

from hpc_components.audit.node.collect import collect, waiting
from hpc_components.audit.node.record import to_line
from hpc_components.audit.node.trail import SOURCES, read_trail


def main() -> int:
    options = _parser().parse_args()
    try:
        return options.do(options)
    except OSError as error:
        print(f"hpc-audit: {error}", file=sys.stderr)
        return 1


def _show(options: argparse.Namespace) -> int:
    trail = read_trail(dict.fromkeys(SOURCES, (options.since, options.until or int(time.time()) + 1)))
    for each in trail.records:
        print(to_line(each))
    for source, why in trail.unread.items():
        print(json.dumps({"unread": source, "why": why}))
    return 0


def _collect(_: argparse.Namespace) -> int:
    collect()
    return 0


def _waiting(_: argparse.Namespace) -> int:
    for path in waiting():
        print(path)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hpc-audit", description="Tell who logged in, who became root and who changed the cluster."
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    show = verbs.add_parser("show", help="Print the records of this node, one JSON object per line.")
    show.add_argument("--since", type=int, required=True, help="Seconds since the epoch.")
    show.add_argument("--until", type=int, help="Seconds since the epoch. Default: now.")
    show.set_defaults(do=_show)
    verbs.add_parser("collect", help="Write new records into files to be sent.").set_defaults(do=_collect)
    verbs.add_parser("waiting", help="List the files to be sent.").set_defaults(do=_waiting)
    return parser
