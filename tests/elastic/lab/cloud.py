"""The daemon on the lab's head, and a cloud in this process whose machines are the lab's hosts with a real slurmd."""

import itertools
import json
import socketserver
import subprocess
import threading
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager

from serving import serving

from elastic.lab import Cluster, wait
from hpc_components.boot.archive import archive
from hpc_components.boot.name_service import OFF_TABLE, TABLE
from hpc_components.elastic.drivers.local.driver import answer
from hpc_components.elastic.model import Instance, InstanceState, Launch
from hpc_components.rehearse.cluster.local_cloud import BOOT_SECONDS

COMMAND = ("/usr/bin/python3", "/shared/hpc-elastic")
TARGETS = "/var/lib/hpc/targets"


def install_daemon(cluster: Cluster, *, nodes: int, cooldown: int = 30) -> None:
    """Put program and configuration on the head, for a queue `q` of so many nodes."""
    pool = {"machine": "m", "zone": "z", "purchase": "on_demand"}
    config = {
        "version": 1, "cluster": "lab", "cloud": "local", "socket": "/shared/cloud", "boot_timeout": 300,
        "cooldown": cooldown, "queues": [{"name": "q", "max": nodes, "pools": [pool]}],
    }  # fmt: skip
    (cluster.lab.shared / "hpc-elastic").write_bytes(archive("aws"))
    cluster.head.write("/etc/hpc/elastic.json", json.dumps(config))
    cluster.head.run(
        "install", "-d", "-o", "slurm", "/run/hpc-elastic", "/var/lib/hpc/elastic", TABLE, OFF_TABLE, TARGETS
    )


def start_daemon(cluster: Cluster) -> subprocess.Popen:
    """Start it as its unit does, and wait until it has seen Slurm and cloud."""
    process = cluster.head.spawn(*COMMAND, "run", "--metrics", "127.0.0.1:9818", user="slurm")
    wait(lambda: "all is well" in cluster.head.run(*COMMAND, "status", check=False))
    return process


class Cloud:
    """Machines that boot in no time; or not at all, if `boots` is not set."""

    def __init__(self, cluster: Cluster, *, boots: bool = True) -> None:
        self.cluster = cluster
        self.boots = boots
        self.machines: dict[str, Instance] = {}
        self.launches: list[Launch] = []
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)
        self._booting: list[threading.Timer] = []

    @contextmanager
    def served(self) -> Generator["Cloud"]:
        """For the daemon to reach at /shared/cloud."""
        cloud = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.wfile.write(answer(cloud, self.rfile.readline()))

        path = self.cluster.lab.shared / "cloud"
        with serving(socketserver.ThreadingUnixStreamServer(str(path), Handler)):
            path.chmod(0o666)
            try:
                yield self
            finally:
                self._stop_booting()

    def _stop_booting(self) -> None:
        """No machine boots any more: its network may go now."""
        with self.lock:
            self.boots = False
        for boot in self._booting:
            boot.cancel()
            boot.join()

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """All that is asked for."""
        with self.lock:
            self.launches.append(launch)
            for node in launch.nodes:
                number = next(self.numbers)
                self.machines[f"i-{number}"] = Instance(
                    id=f"i-{number}", node=node, token=launch.token, pool=launch.pool,
                    state=InstanceState.RUNNING, launched=time.time(),
                )  # fmt: skip
                if self.boots:
                    boot = threading.Timer(BOOT_SECONDS, self.cluster.start_node, (node, number))
                    boot.start()
                    self._booting.append(boot)
            return [each for each in self.machines.values() if each.token == launch.token]

    def boot(self, node: str) -> None:
        """Boot a machine that did not by itself, once it is launched."""
        wait(lambda: node in {machine.node for machine in self.list()})
        number = next(int(id_[2:]) for id_, machine in self.machines.items() if machine.node == node)
        self.cluster.start_node(node, number)

    def terminate(self, ids: Collection[str]) -> None:
        """They are gone at once; those that are gone already are no error, as the contract of drivers has it."""
        for each in ids:
            self.machines.pop(each, None)

    def list(self) -> Sequence[Instance]:
        """Those that live."""
        return list(self.machines.values())
