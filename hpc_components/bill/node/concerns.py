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

from hpc_components.bill.node.associations import Association, Key, associations, line_of
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
        return Concerns(json.loads(output_of("sudo", "-n", PROGRAM, "concerns")))
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
    every = standings(described, found, datetime.datetime.now().date())
    if user is not None and not _is_administrator(user):
        every = [one for one in every if _may_see(one, user, found, _coordinated_by(user))]
    return {
        "version": 1,
        "currency": "USD",
        "cluster": described.cluster,
        "at_limit": described.at_limit,
        "budgets": [to_json(one) for one in every],
        "queues": {name: asdict(node) for name, node in described.queues.items()},
        "parents": {one.account: one.parent for one in _above(every, user, found)},
    }


def _above(shown: Collection[Standing], user: str | None, found: Mapping[Key, Association]) -> list[Association]:
    """Return the accounts of the budgets, and those that the user's jobs count toward."""
    parents = _parents(found)
    begin = {one.account for one in shown} | {account for account, name in found if name == user}
    names = {above for account in begin for above in line_of(account, parents)}
    return [one for one in found.values() if not one.user and (user is None or one.account in names)]


def _may_see(one: Standing, user: str, found: Mapping[Key, Association], coordinated: Collection[str]) -> bool:
    parents = _parents(found)
    if not set(line_of(one.account, parents)).isdisjoint(coordinated):
        return True
    if one.user:
        return one.user == user
    return any(name == user and one.account in line_of(account, parents) for account, name in found)


def _parents(found: Mapping[Key, Association]) -> dict[str, str]:
    return {one.account: one.parent for one in found.values() if not one.user}


def _is_administrator(user: str) -> bool:
    return _asked("show", "user", "where", f"name={user}", "format=adminlevel").strip() == "Administrator"


def _coordinated_by(user: str) -> Collection[str]:
    lines = _asked("show", "account", "withcoord", "format=account,coordinators").splitlines()
    pairs = (line.split("|", 1) for line in lines if "|" in line)
    return {account for account, names in pairs if user in names.split(",")}


def _asked(*words: str) -> str:
    """Ask slurmdbd. Without it, the user is treated as one without further rights."""
    try:
        return output_of("sacctmgr", "-nP", *words)
    except OSError:
        return ""


VERB = Verb(name="concerns", help="for sudo: the budgets that concern its caller, as JSON", do=_print)
