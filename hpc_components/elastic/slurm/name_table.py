"""Writes node-name tables: one with the registered nodes, for the cluster's name server, and one with all other
nodes, which only the head node uses.

dnsmasq watches the directories of the tables. When a table is replaced, dnsmasq rereads it and drops the names that
were removed. Source: dnsmasq(8), hostsdir; dnsmasq's CHANGELOG, version 2.88.
"""

import os
from collections.abc import Collection, Mapping
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path

UNREACHABLE = "255.255.255.255"
"""Address that the head node uses for a node that is off. No machine has this address, and connecting to it fails
immediately.

When a node is powered down, slurmctld sets the node's address to its name, and looks the name up whenever it has a
message for the node, for example when a job ends because its nodes can't be launched. If the lookup fails, Slurm as
packaged by Debian and Ubuntu repeats it ten times, a second apart, while holding a lock that all requests need, so
slurmctld does not answer for 10 s per node. 127.0.0.1 is not used, because `ssh` to a node that is off would then
connect to the head node itself.

Sources:
- power_save.c (set_node_comm_name) and read_config.c (slurm_conf_get_addr) in Slurm 22.05.8 and 24.11.5
- Debian's patch "Retry getaddrinfo five times before giving up" (bugs.schedmd.com 13280)
- Linux, tcp_v4_connect (ENETUNREACH for broadcast addresses)
- tests of Slurm 22.05.8 and 24.11.5 with 100 nodes
"""


class NameTable:
    """Two files in /etc/hosts format. Each is always replaced as a whole.

    The files are on the head node's state volume, because the name server of a new head node must be able to answer
    before slurmctld does.
    """

    def __init__(self, registered: Path, off: Path) -> None:
        self._registered = registered
        self._off = off

    def publish(self, addresses: Mapping[str, str], off: Collection[str]) -> None:
        """Write one table with the addresses of registered nodes, and one with all other nodes.

        Raise OSError if a file can't be written.
        """
        _replace(self._registered, table(addresses))
        _replace(self._off, table(dict.fromkeys(off, UNREACHABLE)))


def table(addresses: Mapping[str, str]) -> str:
    """Return one line per node, sorted by name, e.g. `10.20.0.7 compute-queue-3`.

    Nodes that haven't registered yet are left out; for these, Slurm reports the node's name as its address.
    """
    return "".join(f"{addresses[name]} {name}\n" for name in sorted(addresses) if _is_address(addresses[name]))


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}")  # dnsmasq ignores hidden files, so it never reads a partly written one
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o644)  # readable by all users, whatever the daemon's umask
        file.write(text)
    os.replace(new, path)


def _is_address(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True
