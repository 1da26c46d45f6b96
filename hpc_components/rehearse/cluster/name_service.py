"""How hosts find one another: the name server and the forwarders of the generated configuration, and for all other
names what a cloud's network has, a name server that knows each address by a name like `ip-10-20-0-7`."""

import subprocess
from collections.abc import Mapping
from ipaddress import IPv4Network
from pathlib import Path

from hpc_components.boot.name_service import FORWARDER_PORT, TABLE
from hpc_components.rehearse.hosts.host import CLOUD_NAME_SERVER, Host, Service
from hpc_components.rehearse.result import Change

__all__ = ["CHANGES", "serve_cloud_names", "start_forwarder", "start_name_server"]

_WHY = (
    "hosts have no systemd-resolved: programs ask the forwarder for all names, and it asks the network's own server"
)

CHANGES = (
    Change(file="names.conf", before=f"port={FORWARDER_PORT}", after="port=53", why=_WHY),
    Change(file="names.conf", before="address=/#/", after=f"server={CLOUD_NAME_SERVER}", why=_WHY),
)
"""What is changed in the generated files."""

_DNSMASQ = ("dnsmasq", "--keep-in-foreground")


def serve_cloud_names(root: Path, network: IPv4Network) -> None:
    """Answer, for ever, on the network's own side; with the dnsmasq of the root file system `root`."""
    options = ["--user=root", "--pid-file=", "--no-resolv", "--no-hosts", "--bind-interfaces", "--address=/#/"]
    where = [f"--listen-address={CLOUD_NAME_SERVER}", f"--synth-domain=compute.internal,{network},ip-"]
    line = ["chroot", str(root), *_DNSMASQ, "--conf-file=", *options, *where]
    subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_name_server(head: Host, files: Mapping[str, str], logs: Path) -> Service:
    """Serve the cluster's names; the elastic daemon writes them."""
    head.run("install", "-d", "-o", "slurm", "-g", "slurm", TABLE)
    return _start(head, "name-server.conf", files["head/name-server.conf"], logs)


def start_forwarder(host: Host, files: Mapping[str, str], logs: Path) -> Service:
    """Let programs on a host ask for names."""
    text = files["common/names.conf"]
    for change in CHANGES:
        assert f"\n{change.before}\n" in text
        text = text.replace(f"\n{change.before}\n", f"\n{change.after}\n")
    return _start(host, "names.conf", text, logs)


def _start(host: Host, name: str, text: str, logs: Path) -> Service:
    host.write(f"/etc/hpc/{name}", text)
    with open(logs / f"{host.name}-{name.removesuffix('.conf')}.log", "ab") as log:
        return host.start(*_DNSMASQ, f"--conf-file=/etc/hpc/{name}", output=log)
