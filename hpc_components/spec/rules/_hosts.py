import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Network

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path, Problem
from hpc_components.spec.storage import LustreFileSystem


def is_host(text: str) -> bool:
    """Return whether `text` has the format of a host name or an IPv4 address."""
    return re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text) is not None


def is_in_range(host: str, cidr: IPv4Network) -> bool:
    try:
        return IPv4Address(host) in cidr
    except AddressValueError:
        return False


def is_own_host(text: str) -> bool:
    """Return whether `text` always refers to the local host, e.g. `localhost` or `127.0.0.1`."""
    return re.fullmatch(r"localhost(\..*)?|127\..*|0\.0\.0\.0", text) is not None


def server_on_each_node(path: Path, server: str) -> Problem | None:
    if not is_own_host(server):
        return None
    return Problem(
        path=path,
        value=server,
        reason=f"{server} refers to each node itself, not to a server",
        remedy="specify the server's host name or address",
    )


def lustre_servers(cluster: ClusterSpec, name_remedy: str) -> Iterator[Problem]:
    """Yield problems with existing Lustre file systems, which are mounted as `server@tcp:/name`.

    This check is for clouds whose existing file systems have the keys `server` and `mount_name`. `name_remedy`
    explains where to find the mount name. Source: Lustre manual, mount.lustre: a name has at most eight characters.
    """
    for name, lustre in cluster.storage.items():
        if not isinstance(lustre, LustreFileSystem) or lustre.existing is None:
            continue
        server, mounted = lustre.existing.identity
        at = ("storage", name, "existing")
        if not is_host(server):
            host = re.split(r"@|:|/", re.sub(r"^\w+://", "", server))[0]
            yield Problem(
                path=(*at, "server"),
                value=server,
                reason=f"{server!r} is not the address of a management server",
                remedy=f"write only the address: {host or '10.0.0.4'}",
            )
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,8}", mounted):
            yield Problem(
                path=(*at, "mount_name"),
                value=mounted,
                reason=f"{mounted!r} is not a valid Lustre file system name",
                remedy=name_remedy,
            )
