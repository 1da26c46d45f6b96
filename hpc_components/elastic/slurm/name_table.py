"""The names of the nodes that have registered, as the name server on the head node reads them.

dnsmasq watches the directory of the table and reads the whole table again when it is replaced; from then on it knows
nothing of names that are gone. Source: dnsmasq(8), hostsdir; dnsmasq's CHANGELOG, version 2.88.
"""

import os
from collections.abc import Mapping
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path

__all__ = ["NameTable", "table"]


class NameTable:
    """A file in the form of /etc/hosts, replaced as a whole.

    It is kept on the head node's state volume: a new head node answers before its slurmctld does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # dnsmasq ignores hidden files, so it never reads a half-written one
        self._new = path.with_name(f".{path.name}")

    def publish(self, addresses: Mapping[str, str]) -> None:
        """Give exactly these nodes names. OSError if the file can't be written."""
        with open(os.open(self._new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), "w", encoding="ascii") as file:
            os.fchmod(file.fileno(), 0o644)  # everybody may read it, whatever the daemon's umask is
            file.write(table(addresses))
        os.replace(self._new, self._path)


def table(addresses: Mapping[str, str]) -> str:
    """A line for each node, by name: `10.20.0.7 compute-queue-3`.

    Slurm gives the name of a node for the address of one that never registered: such a node has no line.
    """
    return "".join(f"{addresses[name]} {name}\n" for name in sorted(addresses) if _is_address(addresses[name]))


def _is_address(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True
