import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Address
from pathlib import Path

from hpc_components.boot.archive import archive
from hpc_components.boot.name_service import domain_of
from hpc_components.cloud import cloud_named
from hpc_components.elastic.config import load_config
from hpc_components.elastic.model import Instance, Pool
from hpc_components.rehearse.cluster import daemons, name_service
from hpc_components.rehearse.cluster.adapt import CLOUD_SOCKET
from hpc_components.rehearse.cluster.local_cloud import Hypervisor, LaunchPhase, LocalCloud, serve
from hpc_components.rehearse.cluster.network_services import network_services
from hpc_components.rehearse.cluster.setup import HOME, LOGIN_PROFILE, Setup
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.events import Code
from hpc_components.rehearse.hosts.host import Device, Host, Site
from hpc_components.rehearse.hosts.service import Service

STATE = "/var/lib/hpc"
"""Mount point of the head node's state volume."""

_SLURM_PORT = 6817

_OWN_BOOT_ID = """
cat /proc/sys/kernel/random/uuid >/run/boot_id
mount --bind /run/boot_id /proc/sys/kernel/random/boot_id
"""
"""A replaced head node must not look like the same boot with another clock."""

_MODULE = """#%Module1.0
module-whatis "Open MPI of the system, which is on every PATH already"
"""


class LocalCluster:
    """The cluster defined by `setup`, in the sandbox whose cgroups are named `cgroup`. Events are recorded in
    `log`.
    """

    def __init__(self, setup: Setup, log: EventLog, cgroup: str) -> None:
        self.setup, self.log = setup, log
        self.network = network_services(setup.cluster.cloud)
        """Network services that the cloud provides to every machine."""
        self.site = Site(
            network=setup.network,
            lower=setup.root,
            cgroup=cgroup if setup.cgroups else "",
            people=setup.people,
            domain=domain_of(setup.cluster),
            services=self.network.addresses,
        )
        self.site.names["head"] = setup.head
        self.cloud = LocalCloud(Hypervisor(boot=self._boot, power_off=self._power_off, report=log.record))
        self.on_launch: Callable[[LaunchPhase], bool] = lambda phase: True
        """Called in each phase of a launch call. If it returns False, the call is abandoned."""
        self._munge_key, self._jwt_key = secrets.token_bytes(128), secrets.token_bytes(32)
        self._addresses = {zone: setup.addresses(zone) for zone in setup.cluster.zones}
        self._numbering = threading.Lock()
        self._machines: dict[str, Host] = {}
        self._services: dict[str, tuple[Service, ...]] = {}

    @property
    def head(self) -> Host:
        return self.site.hosts["head"]

    @property
    def login(self) -> Host:
        return self.site.hosts[self.setup.login]

    @property
    def logs(self) -> Path:
        """Directory for the logs of all daemons, including those on hosts that are gone."""
        return self.site.directory("logs")

    def open(self) -> None:
        self.site.open()
        self.site.install(daemons.ELASTIC, archive(self.setup.cluster.cloud), mode=0o755)
        self.site.install(LOGIN_PROFILE.file, f"{LOGIN_PROFILE.after}\n")
        self.site.install("/etc/environment-modules/modules/openmpi", _MODULE)
        self.network.serve()
        name_service.serve_machine_names(self.network, self.setup.root, self.site.network)
        serve(self.cloud, self._cloud_directory / Path(CLOUD_SOCKET).name, lambda phase: self.on_launch(phase))

    def start_head(self) -> None:
        """Boot the head node, or replace a lost one."""
        self.log.record(Code.HEAD_BOOTS, "the head node boots")
        binds = {STATE: self.site.directory("state"), str(Path(CLOUD_SOCKET).parent): self._cloud_directory}
        head = self._host("head", self.setup.head, binds=binds)
        head.run("sh", "-ec", _OWN_BOOT_ID)
        name_service.start_name_server(head, self.setup.name_files, self.logs)
        daemons.start_munge(head, self._munge_key)
        files = {name: text for name, text in self.setup.files.items() if not name.endswith(".json")}
        daemons.write_configuration(head, files)
        head.write("/etc/slurm/jwt_hs256.key", self._jwt_key, owner="slurm", mode=0o600)
        self.setup.software.bring(head, "head")
        daemons.install_elastic(head, self.setup.files["elastic.json"], self.setup.files["prices.json"])
        if "slurmdbd.conf" in self.setup.files:
            self.log.record(Code.DATABASE_STARTS, "MariaDB and slurmdbd start")
            daemons.start_database(head, f"{STATE}/mysql", self.logs)
            head.run("bash", "/etc/slurm/sacctmgr.sh", "before-slurmctld")
        self.log.record(Code.CONTROLLER_STARTS, "slurmctld starts")
        self.controller: Service = daemons.start_controller(head, self.logs)
        if "slurmdbd.conf" in self.setup.files:
            self.log.record(Code.ACCOUNTS_SET_UP, "accounts and QoS are set up for users")
            head.run("bash", "/etc/slurm/sacctmgr.sh", "after-slurmctld")
        self.log.record(Code.ELASTIC_STARTS, "the elastic daemon starts")
        self.elastic = daemons.start_elastic(head, self.logs)

    def start_login(self) -> None:
        if self.setup.login == "head":
            return
        self.log.record(Code.LOGIN_BOOTS, f"{self.setup.login} boots")
        host = self._host(self.setup.login, next(self._addresses[self.setup.cluster.zone]))
        daemons.start_munge(host, self._munge_key)
        common = {name: text for name, text in self.setup.files.items() if name.endswith(".conf")}
        self.setup.software.bring(host, "login")
        daemons.write_configuration(host, {n: t for n, t in common.items() if n != "slurmdbd.conf"})

    def node(self, node: str) -> Host:
        return self.site.hosts[node]

    def shut_down(self, machine: str) -> None:
        """Stop the services of an elastic node's machine, as systemd does when the power button is pressed.

        The services are stopped one after the other. The machine keeps running until it is killed.
        """
        for service in self._services.get(machine, ()):
            service.stop()

    def reclaim(self, machine: Instance, notice: float) -> None:
        """Give a spot machine its notice, and take it away `notice` seconds later, whatever state its node is in.

        If the cloud gives spot machines time to shut down, the machine's power button is pressed at the end of the
        notice: services stop, and the machine ends after the shutdown time.
        """
        cloud = cloud_named(self.setup.cluster.cloud)
        self.network.give_notice(str(self.node(machine.node).address), notice)
        if cloud.spot_shutdown_seconds:
            _later(notice, self.shut_down, machine.id)
        _later(notice + cloud.spot_shutdown_seconds, self.cloud.kill, machine.id)

    def pools(self, queue: str) -> list[Pool]:
        """Return a queue's pools, in the order in which launches try them."""
        return list(load_config(self.setup.files["elastic.json"]).by_name[queue].pools)

    @property
    def _cloud_directory(self) -> Path:
        return self.site.directory("cloud")

    def _file_system(self, mount: str) -> Path:
        return self.site.directory(f"store{mount}", 0o755 if mount == HOME else 0o1777)

    def _host(
        self,
        name: str,
        address: IPv4Address,
        *,
        binds: Mapping[str, Path] | None = None,
        devices: Sequence[Device] = (),
    ) -> Host:
        mounts = {storage.mount for storage in self.setup.cluster.storage.values()} or {HOME}
        file_systems = {mount: self._file_system(mount) for mount in mounts}
        host = self.site.boot(name, address, binds={**file_systems, **(binds or {})}, devices=devices)
        name_service.start_forwarder(host, self.setup.name_files, self.logs)
        return host

    def _boot(self, machine: Instance) -> None:
        queue = self.setup.cluster.queue(machine.pool.queue)
        with self._numbering:
            address = next(self._addresses[machine.pool.zone])
        self.network.add(str(address), machine.id)
        host = self._machines[machine.id] = self._host(machine.node, address, devices=self.setup.devices(queue.name))
        if queue.local_scratch:
            host.run("install", "-d", "-m", "1777", queue.local_scratch)
        self.setup.software.bring(host, "compute")
        daemons.start_munge(host, self._munge_key)
        self._start_services(machine, host)

    def _start_services(self, machine: Instance, host: Host) -> None:
        controller = f"{self.setup.head}:{_SLURM_PORT}"
        self._services[machine.id] = daemons.start_node(host, controller, self.logs)

    def _power_off(self, machine: Instance) -> None:
        self._services.pop(machine.id, None)
        if host := self._machines.pop(machine.id, None):
            host.kill()


def _later(seconds: float, call: Callable[[str], None], machine: str) -> None:
    timer = threading.Timer(seconds, call, [machine])
    timer.daemon = True
    timer.start()


def as_user(user: str, command: str, directory: str) -> list[str]:
    return ["runuser", "-l", user, "-c", f"cd {directory} && {command}"]
