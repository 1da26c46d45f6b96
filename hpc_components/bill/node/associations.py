"""Reads limits and usage from slurmctld, in billing-minutes: millionths of a dollar."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hpc_components.bill.node.slurm_commands import output_of

Key = tuple[str, str]
"""Account and user of an association. The user is empty for the association of a whole account."""


@dataclass(frozen=True)
class Association:
    account: str
    user: str
    parent: str
    """Parent account, or empty for a user's association."""
    limit: int | None
    """Limit of billing-minutes, or None if unlimited."""
    used: int
    reserved: int
    """What running jobs may still use until their time limits."""


def associations() -> dict[Key, Association]:
    """Return all associations that the caller may see. Raise OSError if slurmctld does not answer."""
    return parse(output_of("scontrol", "-o", "show", "assoc_mgr", "flags=assoc"))


def parse(text: str) -> dict[Key, Association]:
    """Parse `scontrol -o show assoc_mgr flags=assoc` of Slurm 22.05 to 25.11.

    Associations with a partition, which only `sacctmgr` can make, are left out.
    """
    found = [_association(one) for one in _LINE.finditer(text)]
    return {(one.account, one.user): one for one in found}


_LINE = re.compile(
    r"^ClusterName=\S* Account=(?P<account>.*?) UserName=(?P<user>.*?)(?:\([0-9]+\))? Partition= Priority=[0-9]* "
    r"ID=.*? ParentAccount=(?P<parent>.*?)(?:\([0-9]+\))? (?:Lft|Lineage)=.*?"
    r" GrpTRESMins=(?P<minutes>\S*) GrpTRESRunMins=(?P<running>\S*) ",
    re.MULTILINE,
)
"""An association. At the end of its line, later releases show a comment, which an administrator may have written."""


def _association(line: re.Match[str]) -> Association:
    minutes, running = _billing(line["minutes"]), _billing(line["running"])
    return Association(
        account=line["account"],
        user=line["user"],
        parent=line["parent"],
        limit=None if minutes[0] == "N" else int(minutes[0]),
        used=minutes[1],
        reserved=running[1],
    )


def _billing(text: str) -> tuple[str, int]:
    """Return the limit and the use of `billing=<limit>(<use>)`."""
    match = re.search(r"\bbilling=(N|[0-9]+)\(([0-9]+)\)", text)
    return (match[1], int(match[2])) if match else ("N", 0)


def line_of(account: str, parents: Mapping[str, str]) -> Iterator[str]:
    """Yield an account and those above it. `parents` is keyed by account."""
    seen: set[str] = set()
    while account and account not in seen:
        yield account
        seen.add(account)
        account = parents.get(account, "")
