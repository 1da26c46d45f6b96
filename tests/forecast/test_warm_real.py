"""The lines that docs/forecast.md advises for warm nodes, on real Slurm with the real daemon."""

import re
import shlex
from pathlib import Path

import pytest

from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.daemons import wait_until
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.hosts.sandbox_init import Channel
from tests.forecast.replay import lab_cluster, lab_setup
from tests.rehearse.performing import ROOTS, lacks

PAGE = Path(__file__).parents[2] / "docs/forecast.md"
QUEUE = "compute-queue"
RELEASE = "24.11"
BOOT_SECONDS = 120


def advised() -> list[list[str]]:
    """The commands of the lines for cron: in the morning, every few minutes, and in the evening."""
    lines = re.findall(rf"^[\d*/-]+ [\d-]+ \* \* \S+ root (scontrol .*{QUEUE}.*)$", PAGE.read_text(), re.MULTILINE)
    return [shlex.split(line) for line in lines]


@pytest.mark.slow
@pytest.mark.slurm
def test_advised_lines_keep_nodes_up_until_the_evening() -> None:
    if lacking := lacks(RELEASE):
        pytest.skip(lacking)
    cluster = lab_cluster({QUEUE: {"machine": "c7i.large", "max": 3}})
    setup = lab_setup(cluster, ROOTS[RELEASE], Times(idle=8, stop=5, boot=BOOT_SECONDS))
    with Sandbox(_day, setup, advised()) as sandbox:
        assert sandbox.result() == ["three up", "two kept", "none in the evening"]


def _day(channel: Channel, setup: Setup, commands: list[list[str]]) -> list[str]:
    cluster = LocalCluster(setup, EventLog(lambda event: None), channel.cgroup)
    cluster.open()
    cluster.start_head()
    morning, often, evening = commands

    def idle_nodes() -> int:
        states = cluster.head.run("sinfo", "-h", "-N", "-o", "%t").split()
        return states.count("idle")

    cluster.head.run("scontrol", "update", f"nodename={QUEUE}-3", "state=power_up")
    cluster.head.run(*morning)
    cluster.head.run(*often)
    wait_until("three nodes are up", lambda: idle_nodes() == 3, BOOT_SECONDS)
    cluster.head.run(*often)
    wait_until("the third node is off", lambda: not cluster.cloud.alive(f"{QUEUE}-3"), BOOT_SECONDS)
    kept = sorted(machine.node for machine in cluster.cloud.alive())
    assert kept == [f"{QUEUE}-1", f"{QUEUE}-2"], kept
    cluster.head.run(*evening)
    wait_until("no machine runs", lambda: not cluster.cloud.alive())
    return ["three up", "two kept", "none in the evening"]
