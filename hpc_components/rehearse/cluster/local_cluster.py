"""The described cluster, running: its hosts, what runs on them, and the cloud that its elastic nodes come from."""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path

from hpc_components.boot.archive import archive
from hpc_components.boot.name_service import domain_of
from hpc_components.elastic.config import load_config
from hpc_components.elastic.model import Instance, Pool
from hpc_components.rehearse.cluster import daemons
from hpc_components.rehearse.cluster import name_service as names
from hpc_components.rehearse.cluster.adapt import CLOUD_SOCKET
from hpc_components.rehearse.cluster.local_cloud import LocalCloud, Moment, Provider, serve
from hpc_components.rehearse.cluster.metadata import Metadata
from hpc_components.rehearse.cluster.setup import PROFILE, Setup
from hpc_components.rehearse.event_log import Teller
from hpc_components.rehearse.hosts.host import Device, Host, Service, Site
from hpc_components.rehearse.result import Kind
from hpc_components.rehearse.run.job import HOME

__all__ = ["LocalCluster"]

STATE = "/var/lib/hpc"
"""Where the head node mounts its state volume."""

_SLURM_PORT = 6817

_MODULE = """#%Module1.0
module-whatis "Open MPI, the system's own: on every PATH already"
"""


class LocalCluster:
    """Runs inside the namespaces of one rehearsal (`supervisor`)."""

    def __init__(self, setup: Setup, teller: Teller, cgroup: str) -> None:
        self.setup, self.teller = setup, teller
        self.site = Site(
            network=setup.network,
            lower=setup.root,
            cgroup=cgroup if setup.cgroups else "",
            users=setup.users,
            domain=domain_of(setup.cluster),
        )
        self.site.names["head"] = setup.head
        self.cloud = LocalCloud(Provider(boot=self._boot, halt=self._halt, tell=self._hear))
        self.metadata = Metadata()
        self.watch: Callable[[Moment], bool] = lambda moment: True
        """Called at each moment of a launch call; where it returns False the call ends."""
        self._munge_key, self._jwt_key = secrets.token_bytes(128), secrets.token_bytes(32)
        self._addresses = {zone: setup.addresses(zone) for zone in setup.cluster.zones}
        self._numbering = threading.Lock()
        self._machines: dict[str, Host] = {}

    @property
    def head(self) -> Host:
        """The head node."""
        return self.site.hosts["head"]

    @property
    def login(self) -> Host:
        """Where users log in."""
        return self.site.hosts[self.setup.login]

    @property
    def logs(self) -> Path:
        """Directory of all daemons' logs, those of hosts that are gone among them."""
        return self.site.directory("logs")

    def open(self) -> None:
        """Make what hosts stand on: network, shared directories, metadata service, the cloud's door."""
        self.site.open()
        self.site.install(daemons.ELASTIC, archive(), mode=0o755)
        self.site.install(PROFILE.file, f"{PROFILE.after}\n")
        self.site.install("/etc/environment-modules/modules/openmpi", _MODULE)
        self.metadata.serve()
        names.serve_cloud_names(self.setup.root, self.site.network)
        serve(self.cloud, self._door / Path(CLOUD_SOCKET).name, lambda moment: self.watch(moment))

    def start_head(self) -> None:
        """Boot the head node and start what runs on it; again, when the former is gone: its state volume stays."""
        self.teller.step("the head node boots")
        binds = {STATE: self.site.directory("state"), str(Path(CLOUD_SOCKET).parent): self._door}
        head = self._host("head", self.setup.head, binds=binds)
        names.start_name_server(head, self.setup.name_files, self.logs)
        daemons.start_munge(head, self._munge_key)
        daemons.write_configuration(head, {n: t for n, t in self.setup.files.items() if n != "elastic.json"})
        head.write("/etc/slurm/jwt_hs256.key", self._jwt_key, owner="slurm", mode=0o600)
        daemons.install_elastic(head, self.setup.files["elastic.json"])
        if "slurmdbd.conf" in self.setup.files:
            self.teller.step("MariaDB and slurmdbd start")
            daemons.start_database(head, f"{STATE}/mysql", self.logs)
            head.run("bash", "/etc/slurm/sacctmgr.sh", "before-slurmctld")
        self.teller.step("slurmctld starts")
        self.controller: Service = daemons.start_controller(head, self.logs)
        if "slurmdbd.conf" in self.setup.files:
            self.teller.step("users get their accounts and QoS")
            head.run("bash", "/etc/slurm/sacctmgr.sh", "after-slurmctld")
        self.teller.step("the elastic daemon starts")
        self.elastic = daemons.start_elastic(head, self.logs)

    def start_login(self) -> None:
        """Boot the login node, if there is one beside the head node."""
        if self.setup.login == "head":
            return
        self.teller.step(f"{self.setup.login} boots")
        host = self._host(self.setup.login, next(self._addresses[self.setup.cluster.zone]))
        daemons.start_munge(host, self._munge_key)
        common = {name: text for name, text in self.setup.files.items() if name.endswith(".conf")}
        daemons.write_configuration(host, {n: t for n, t in common.items() if n != "slurmdbd.conf"})

    def machine(self, node: str) -> Host:
        """The host of an elastic node that is up."""
        return self.site.hosts[node]

    def pools(self, queue: str) -> list[Pool]:
        """Where machines of `queue` come from, in the order tried."""
        return list(load_config(self.setup.files["elastic.json"]).by_name[queue].pools)

    @property
    def _door(self) -> Path:
        return self.site.directory("cloud")

    def _store(self, mount: str) -> Path:
        """What stands for the file system at `mount`."""
        return self.site.directory(f"store{mount}", 0o755 if mount == HOME else 0o1777)

    def _host(
        self,
        name: str,
        address: IPv4Address,
        *,
        binds: Mapping[str, Path] | None = None,
        devices: Sequence[Device] = (),
    ) -> Host:
        """A host with the cluster's file systems."""
        mounts = {store.mount for store in self.setup.cluster.storage.values()} or {HOME}
        stores = {mount: self._store(mount) for mount in mounts}
        host = self.site.boot(name, address, binds={**stores, **(binds or {})}, devices=devices)
        names.start_forwarder(host, self.setup.name_files, self.logs)
        return host

    def _boot(self, machine: Instance) -> None:
        queue = self.setup.cluster.queue(machine.pool.queue)
        with self._numbering:
            address = next(self._addresses[machine.pool.zone])
        self.metadata.introduce(str(address), machine.id)
        host = self._machines[machine.id] = self._host(machine.node, address, devices=self.setup.devices(queue.name))
        if queue.local_scratch:
            host.run("install", "-d", "-m", "1777", queue.local_scratch)
        daemons.start_munge(host, self._munge_key)
        daemons.start_node(host, f"{self.setup.head}:{_SLURM_PORT}", self.logs)

    def _halt(self, machine: Instance) -> None:
        if host := self._machines.pop(machine.id, None):
            host.kill()

    def _hear(self, node: str, words: str) -> None:
        self.teller.tell(Kind.CLOUD, words, node=node)


def as_user(user: str, command: str, directory: str) -> list[str]:
    """The command line with which a user does `command` in a fresh login shell."""
    return ["runuser", "-l", user, "-c", f"cd {directory} && {command}"]
