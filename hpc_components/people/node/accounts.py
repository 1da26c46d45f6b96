"""Gives the people of a directory their Slurm accounts, and its administrators control of Slurm.

Runs on the head node. The accounts of people in a description are in `sacctmgr.sh`, which is part of the cluster's
configuration.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from hpc_components.people.node.jobs import BATCH, Run


@dataclass
class Accounts:
    """The users of a cluster in Slurm's database."""

    cluster: str
    run: Run
    refused: list[str] = field(default_factory=list)
    """Sentences about changes that Slurm refused."""

    def settle(
        self, given: Collection[str], account_of: Mapping[str, str], administrators: Collection[str]
    ) -> tuple[str, ...]:
        """Let everyone in `account_of` use the account named there by default, and no other one of those that the
        directory has `given`. Let those of them who are `administrators` control Slurm. Return `refused`.

        Raise OSError if slurmdbd does not answer.
        """
        self.refused = []
        here = f"cluster={self.cluster}"
        users = {account: self._names(f"show assoc where {here} account={account} format=user") for account in given}
        wanted = {account: {name for name, its in account_of.items() if its == account} for account in given}
        for account in given:
            self._change(wanted[account] - users[account], f"add user name={{}} {here} account={account}")
        for account in given:
            with_default = self._names(f"show user where {here} defaultaccount={account} format=user")
            self._change(
                wanted[account] - with_default, f"modify user where name={{}} {here} set defaultaccount={account}"
            )
        for account in given:
            moved = (users[account] & account_of.keys()) - wanted[account]
            self._change(moved, f"delete user where name={{}} {here} account={account}")
        self._settle_administrators(account_of.keys() & set(administrators), account_of.keys() - set(administrators))
        return tuple(self.refused)

    def _settle_administrators(self, administrators: Collection[str], others: Collection[str]) -> None:
        have = self._names("show user where adminlevel=Administrator format=user")
        self._change(set(administrators) - have, "modify user where name={} set adminlevel=Administrator")
        self._change(set(others) & have, "modify user where name={} set adminlevel=None")

    def _names(self, question: str) -> set[str]:
        return set(self.run(["sacctmgr", "-nP", *question.split()]).split())

    def _change(self, names: Collection[str], change: str) -> None:
        ordered = sorted(names)
        for start in range(0, len(ordered), BATCH):
            words = change.format(",".join(ordered[start : start + BATCH])).split()
            try:
                self.run(["sacctmgr", "-iQ", *words])
            except OSError as error:
                self.refused.append(f"`sacctmgr {change}`: {error}")
