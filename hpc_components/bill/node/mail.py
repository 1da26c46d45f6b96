"""The verb `mail`: what the job has cost that an e-mail of Slurm is about."""

import argparse
import re
import time
from collections.abc import Sequence

from hpc_components.bill.node.job_comments import LONG_AGO, shown_cost
from hpc_components.bill.node.jobs import job_costs
from hpc_components.bill.node.spending import Run, runs_since
from hpc_components.bill.node.verb import Verb

WAIT_SECONDS = 20

_SUBJECT = re.compile(r"Slurm (?:Array Summary |Array Task )?Job_id=([0-9]+(?:_[0-9]+)?)(?:_\*)? ")
"""The beginning of a subject. A summary is about all tasks of an array, and a heterogeneous job has one e-mail.
Source: Slurm source code, mail_job_info in src/slurmctld/agent.c of 22.05 and 24.11."""


def job_of(subject: str) -> str | None:
    """Return the job that a subject names, or None if it is not a subject of Slurm."""
    found = _SUBJECT.match(subject)
    return found[1] if found else None


def _tell(options: argparse.Namespace) -> int:
    job = job_of(options.subject)
    if job is None:
        return 0
    costs = job_costs(_runs_once_ended(job), 0, time.time())
    if costs:
        print(f"It cost {shown_cost(sum(one.micros for one in costs))} USD, without boot and idle time of nodes.")
    return 0


def _runs_once_ended(job: str) -> Sequence[Run]:
    """Return the job's runs as soon as slurmdbd knows their ends, which slurmctld sends it at the same time as the
    e-mail. After some seconds, return them without.
    """
    give_up = time.monotonic() + WAIT_SECONDS
    while True:
        runs = runs_since(LONG_AGO, ("-a", "-j", job))
        if time.monotonic() > give_up or (runs and all(run.end is not None for run in runs)):
            return runs
        time.sleep(0.5)


def _subject(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", metavar="SUBJECT")


VERB = Verb(
    name="mail", help="for MailProg: tell what the job of an e-mail's subject has cost", do=_tell, arguments=_subject
)
