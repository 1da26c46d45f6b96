import subprocess
from collections.abc import Mapping
from ipaddress import IPv4Network
from pathlib import Path

from hpc_components.boot.name_service import FORWARDER_PORT, OFF_TABLE, TABLE
from hpc_components.rehearse.cluster.network_services import NetworkServices
from hpc_components.rehearse.hosts.host import Host
from hpc_components.rehearse.hosts.service import Service
from hpc_components.rehearse.result import Change

FORWARDER = "common/names.conf"
"""Path to the forwarders' configuration in the config bucket."""

_HEAD_FORWARDER = "head/names.conf"

_SERVER = "head/name-server.conf"

_WHY = (
    "hosts in a rehearsal don't run systemd-resolved, so the forwarder handles every lookup and passes "
    "unknown names to the network's server"
)

_DNSMASQ = ("dnsmasq", "--keep-in-foreground")


def adapt_names(files: Mapping[str, str], services: NetworkServices) -> tuple[dict[str, str], tuple[Change, ...]]:
    """Adapt the forwarder configuration to this machine. Return all files, keyed by path in the config bucket, and
    the changes.
    """
    changes = (
        Change(file="names.conf", before=f"port={FORWARDER_PORT}", after="port=53", why=_WHY),
        Change(file="names.conf", before="address=/#/", after=f"server={services.name_server}", why=_WHY),
    )
    adapted = dict(files)
    for path in (FORWARDER, _HEAD_FORWARDER):
        for change in changes:
            assert f"\n{change.before}\n" in adapted[path]
            adapted[path] = adapted[path].replace(f"\n{change.before}\n", f"\n{change.after}\n")
    return adapted, changes


def serve_machine_names(services: NetworkServices, root: Path, network: IPv4Network) -> None:
    """Run a stand-in for the cloud network's name server, using dnsmasq from the root file system `root`."""
    prefix, domain = services.machine_names
    options = ["--user=root", "--pid-file=", "--no-resolv", "--no-hosts", "--bind-interfaces", "--address=/#/"]
    names = [f"--listen-address={services.name_server}", f"--synth-domain={domain},{network},{prefix}"]
    command = ["chroot", str(root), *_DNSMASQ, "--conf-file=", *options, *names]
    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_name_server(head: Host, files: Mapping[str, str], logs: Path) -> Service:
    """Start the cluster's name server, which reads the table that the elastic daemon writes."""
    head.run("install", "-d", "-o", "slurm", "-g", "slurm", TABLE)
    return _start(head, "name-server.conf", files[_SERVER], logs)


def start_forwarder(host: Host, files: Mapping[str, str], logs: Path) -> Service:
    if host.name != "head":
        return _start(host, "names.conf", files[FORWARDER], logs)
    host.run("install", "-d", "-o", "slurm", "-g", "slurm", OFF_TABLE)
    return _start(host, "names.conf", files[_HEAD_FORWARDER], logs)


def _start(host: Host, name: str, text: str, logs: Path) -> Service:
    host.write(f"/etc/hpc/{name}", text)
    with open(logs / f"{host.name}-{name.removesuffix('.conf')}.log", "ab") as log:
        return host.start(*_DNSMASQ, f"--conf-file=/etc/hpc/{name}", output=log)
