"""The audit trail of this node: all sources, in the order of time."""

import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from hpc_components.audit.node.journal import read_journal
from hpc_components.audit.node.record import Record, without_secrets
from hpc_components.audit.node.slurm_changes import read_controller_log, read_transactions

Source = Callable[[int, int], Iterator[Record]]

SOURCES: Mapping[str, Source] = {
    "journal": read_journal, "transactions": read_transactions, "slurmctld": read_controller_log,
}  # fmt: skip


@dataclass(frozen=True)
class Trail:
    """Records without secrets, and the sources that could not be read, with the reasons."""

    records: list[Record]
    unread: Mapping[str, str]


def read_trail(windows: Mapping[str, tuple[int, int]]) -> Trail:
    """Return the records of each source within its window: (from, until before), in seconds since the epoch."""
    node, records, unread = socket.gethostname(), [], {}
    for name, (since, until) in windows.items():
        try:
            records += [replace(each, node=node) for each in without_secrets(SOURCES[name](since, until))]
        except OSError as error:
            unread[name] = str(error)
    return Trail(sorted(records, key=lambda each: each.at), unread)
