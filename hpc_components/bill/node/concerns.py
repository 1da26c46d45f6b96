"""The verb `concerns`: the budgets that concern whoever called it by `sudo`, as a JSON document.

Slurm does not show people the limits and usage of their account if it hides those of others (PrivateData); root sees
all. So the other verbs call this one by `sudo`, without arguments, and it selects by the caller's id.
"""

import argparse
import datetime
import json
import os
import pwd
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from hpc_components.bill.node.associations import associations, line_of
from hpc_components.bill.node.described import nodes, read
from hpc_components.bill.node.slurm_commands import output_of
from hpc_components.bill.node.standing import Standing, from_json, standings, to_json
from hpc_components.bill.node.verb import Verb

PROGRAM = "/opt/hpc/bin/hpc-bill"


class Concerns:
    """The budgets that concern a person, and the accounts around them."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.at_limit: str = document["at_limit"]
        self.parents: Mapping[str, str] = document["parents"]
        self.queues = nodes(document)
        self.budgets = [from_json(one) for one in document["budgets"]]

    def of_job(self, account: str, user: str) -> list[Standing]:
        """Return the budgets that must pay for a job: those of its user, its account and the accounts above."""
        line = tuple(line_of(account, self.parents))
        return [one for one in self.budgets if one.account in line and one.user in ("", user)]


def my_concerns() -> Concerns:
    """Ask for the caller's budgets. Raise OSError if that fails."""
    if os.geteuid() == 0:
        return Concerns(_document(None))
    try:
        # people can't end a process of root; each of the commands that it runs has a timeout
        return Concerns(json.loads(output_of("sudo", "-n", PROGRAM, "concerns", seconds=None)))
    except OSError as error:
        raise OSError(str(error).removeprefix("hpc-bill: ")) from None


def _print(options: argparse.Namespace) -> int:
    if os.geteuid() != 0:
        raise OSError("only root can ask for this; use: hpc-bill budgets")
    uid = int(os.environ.get("SUDO_UID", "0"))
    print(json.dumps(_document(pwd.getpwuid(uid).pw_name if uid else None)))
    return 0


def _document(user: str | None) -> dict[str, Any]:
    """Return the document for a user, or for an administrator if None."""
    described, found = read(), associations()
    parents = {one.account: one.parent for one in found.values() if not one.user}
    every = standings(described, found, datetime.datetime.now().date())
    level, coordinated = ("Administrator", ()) if user is None else _rights_of(user)
    if user is not None and level != "Administrator":
        accounts = {account for account, name in found if name == user}
        every = [one for one in every if _may_see(one, user, accounts, coordinated, parents)]
        parents = _above({*accounts, *(one.account for one in every)}, parents)
    return {
        "version": 1,
        "currency": "USD",
        "cluster": described.cluster,
        "at_limit": described.at_limit,
        "budgets": [to_json(one) for one in every],
        "queues": {name: asdict(node) for name, node in described.queues.items()},
        "parents": parents,
    }


def _above(accounts: Collection[str], parents: Mapping[str, str]) -> dict[str, str]:
    """Return the parents of these accounts, and of the accounts above them."""
    names = {above for account in accounts for above in line_of(account, parents)}
    return {name: parent for name, parent in parents.items() if name in names}


def _may_see(
    one: Standing, user: str, accounts: Collection[str], coordinated: Collection[str], parents: Mapping[str, str]
) -> bool:
    """Return whether the budget is the user's own, pays for the user's jobs, or is in an account that the user
    coordinates.
    """
    if not set(line_of(one.account, parents)).isdisjoint(coordinated):
        return True
    if one.user:
        return one.user == user
    return any(one.account in line_of(account, parents) for account in accounts)


def _rights_of(user: str) -> tuple[str, Collection[str]]:
    """Return the user's level, and the accounts that the user coordinates. Without slurmdbd, the user is treated as
    one without further rights.
    """
    words = ("show", "user", "where", f"name={user}", "withcoord", "format=adminlevel,coordinators")
    try:
        level, _, accounts = output_of("sacctmgr", "-nP", *words).strip().partition("|")
    except OSError:
        return "None", ()
    return level, accounts.split(",")


VERB = Verb(name="concerns", help="for sudo: the budgets that concern its caller, as JSON", do=_print)
