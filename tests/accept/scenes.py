"""Acceptance tests of rehearsals, sound ones and broken ones. Functions with `channel` run inside the sandbox."""

from collections.abc import Callable
from dataclasses import replace

from hpc_components.accept.plan import Plan
from hpc_components.accept.rehearsed import RehearsedCluster, accept_rehearsal, prepare_rehearsal
from hpc_components.accept.result import Acceptance, Code, Outcome, State
from hpc_components.accept.run import accept
from hpc_components.elastic.model import Instance
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.hosts.host import Host
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.hosts.sandbox_init import Channel
from tests.rehearse.performing import ROOTS, described

Break = Callable[[Host], None]


def accepted(stack: str, release: str = "22.05", **wanted) -> tuple[Acceptance, list[str]]:
    """The test of a sound rehearsal, and what it said meanwhile."""
    said: list[str] = []
    setup, plan = prepare_rehearsal(described(stack), root=ROOTS[release], **wanted)
    return accept_rehearsal(setup, plan, said.append), said


def broken(stack: str, queue: str, break_node: Break, *, judge_speeds: bool = False) -> Acceptance:
    """The test of a rehearsal whose hosts `break_node` has broken before their slurmd started."""
    setup, plan = prepare_rehearsal(described(stack), queues=[queue])
    if judge_speeds:
        plan = replace(plan, runs=[replace(run, speeds_count=True) for run in plan.runs])
    with Sandbox(_broken, setup, plan, break_node) as sandbox:
        return sandbox.result()


class _BrokenCluster(LocalCluster):
    break_node: Break

    def _start_services(self, machine: Instance, host: Host) -> None:
        self.break_node(host)
        super()._start_services(machine, host)


def _broken(channel: Channel, setup: Setup, plan: Plan, break_node: Break) -> Acceptance:
    cluster = _BrokenCluster(setup, EventLog(lambda event: None), channel.cgroup)
    cluster.break_node = break_node
    rehearsed = RehearsedCluster(cluster)
    rehearsed.start()
    break_node(cluster.head)
    return accept(plan, rehearsed, channel.send)


def nothing(host: Host) -> None:
    pass


def lose_names(host: Host) -> None:
    if host.name.endswith("-2"):
        host.run("sed", "-i", "s/^hosts:.*/hosts: files/", "/etc/nsswitch.conf")


def lose_fabric(host: Host) -> None:
    if host.name.endswith("-2"):
        host.run("rm", "/dev/infiniband/uverbs0")


def lose_home(host: Host) -> None:
    if host.name == "head":
        host.run("chown", "root:", "/home/alice")


def lose_gpu(host: Host) -> None:
    count = 7 if host.name.endswith("-2") else 8
    script = f'#!/bin/sh\nfor gpu in $(seq {count}); do echo "GPU $gpu: NVIDIA"; done\n'
    host.write("/usr/bin/nvidia-smi", script, mode=0o755)


def unshare_files(host: Host) -> None:
    if host.name.endswith("-2"):
        host.run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/fsx")


def state_of(acceptance: Acceptance, code: Code, where: str = "") -> State:
    """The state of the only outcome of this check at a place."""
    (found,) = outcomes(acceptance, code, where)
    return found.state


def outcomes(acceptance: Acceptance, code: Code, where: str = "") -> list[Outcome]:
    return [each for each in acceptance.outcomes if each.code is code and where in ("", each.where)]


def failed(acceptance: Acceptance) -> dict[Code, str]:
    """Details of failed checks."""
    return {each.code: each.detail for each in acceptance.outcomes if each.state is State.FAILED}
