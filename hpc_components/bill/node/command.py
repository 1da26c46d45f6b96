"""The command line of `hpc-bill`."""

import argparse
import sys
from collections.abc import Sequence

from hpc_components.bill.node import budgets, concerns, ending, job_comments, jobs, mail, metrics, settle, why
from hpc_components.bill.node.verb import Verb

VERBS: Sequence[Verb] = (
    budgets.VERB,
    jobs.VERB,
    why.VERB,
    concerns.VERB,
    settle.VERB,
    ending.VERB,
    job_comments.VERB,
    mail.VERB,
    metrics.VERB,
)

_EXIT_CODES = (
    "Exit code: 0 if it could answer, 1 if not (Slurm does not respond, unknown job), 2 for a wrong argument."
)


def main() -> int:
    options = _parser().parse_args()
    try:
        return options.do(options)
    except OSError as error:
        print(f"hpc-bill: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="hpc-bill",
        description="Tell what jobs cost, and what may still be spent.",
        epilog=_EXIT_CODES,
        formatter_class=raw,
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    for verb in VERBS:
        examples = f"examples:\n{verb.examples}\n\n" if verb.examples else ""
        made = verbs.add_parser(
            verb.name, help=verb.help, description=verb.help, epilog=examples + _EXIT_CODES, formatter_class=raw
        )
        verb.arguments(made)
        made.set_defaults(do=verb.do)
    return parser
