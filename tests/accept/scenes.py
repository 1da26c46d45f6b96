"""Acceptance tests of rehearsals, sound ones and broken ones. Functions with `channel` run inside the sandbox."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

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
from tests.accept.object_stores import ObjectStore, object_store
from tests.rehearse.performing import ROOTS, described

Break = Callable[[Host], None]

SLOW_MIBPS = 8

_IMAGE_MIB = 400
_BLKIO = Path("/sys/fs/cgroup/blkio")


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


def slowed(stack: str, queue: str, mount: str) -> Acceptance:
    """The test of a rehearsal that judges speeds, in which `mount` is on a disk of `SLOW_MIBPS` MiB/s."""
    setup, plan = prepare_rehearsal(described(stack), queues=[queue])
    plan = replace(plan, runs=[replace(run, speeds_count=True) for run in plan.runs])
    group = _BLKIO / f"hpc-slow-{os.getpid()}"
    group.mkdir()
    try:
        with Sandbox(_slowed, setup, plan, group, mount) as sandbox:
            return sandbox.result()
    finally:
        group.rmdir()


def _slowed(channel: Channel, setup: Setup, plan: Plan, group: Path, mount: str) -> Acceptance:
    cluster = LocalCluster(setup, EventLog(lambda event: None), channel.cgroup)
    rehearsed = RehearsedCluster(cluster)
    (group / "cgroup.procs").write_text("0")  # this process, and so all hosts that it starts
    cluster.open()
    _slow_disk(cluster.site.top / "slow.img", cluster.site.directory(f"store{mount}"), group)
    cluster.start_head()
    cluster.start_login()
    return accept(plan, rehearsed, channel.send)


def _slow_disk(image: Path, at: Path, group: Path) -> None:
    """Mount a disk whose direct I/O the kernel throttles. Source: Linux, admin-guide/cgroup-v1/blkio-controller.

    The loop device ends with its last mount, which is that of the sandbox.
    """
    with image.open("w") as file:
        file.truncate(_IMAGE_MIB * 2**20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(at)], check=True)
    device = at.stat().st_dev
    for step in ("read", "write"):
        limit = f"{os.major(device)}:{os.minor(device)} {SLOW_MIBPS * 2**20}"
        (group / f"blkio.throttle.{step}_bps_device").write_text(limit)


def with_bucket(stack: str, queue: str, denied: str) -> tuple[Acceptance, ObjectStore]:
    """The test of a rehearsal on Google Cloud whose hosts reach a bucket, and what that has seen. `denied` is that of
    `ObjectStore`.
    """
    setup, plan = prepare_rehearsal(described(stack), queues=[queue])
    with Sandbox(_with_bucket, setup, plan, denied) as sandbox:
        return sandbox.result()


def _with_bucket(channel: Channel, setup: Setup, plan: Plan, denied: str) -> tuple[Acceptance, ObjectStore]:
    cluster = _BrokenCluster(setup, EventLog(lambda event: None), channel.cgroup)
    rehearsed = RehearsedCluster(cluster)
    cluster.open()
    with object_store(str(cluster.site.network[1])) as store:
        store.denied = denied

        def lend(host: Host) -> None:
            host.write("/etc/hpc/buckets", "".join(f"{key} gs://results\n" for key in setup.cluster.buckets))
            lent = {"GCE_METADATA_HOST": store.url, "STORAGE_EMULATOR_HOST": f"http://{store.url}"}
            host.write("/etc/profile.d/lent.sh", "".join(f"export {name}={value}\n" for name, value in lent.items()))

        cluster.break_node = lend
        cluster.start_head()
        cluster.start_login()
        for host in {cluster.head, cluster.login}:
            lend(host)
        return accept(plan, rehearsed, channel.send), store


def unannounced(stack: str, queue: str, **wanted) -> Acceptance:
    """The test of a rehearsal whose cloud takes spot machines away without notice."""
    setup, plan = prepare_rehearsal(described(stack), queues=[queue], spot=True, **wanted)
    with Sandbox(_unannounced, setup, plan) as sandbox:
        return sandbox.result()


def _unannounced(channel: Channel, setup: Setup, plan: Plan) -> Acceptance:
    cluster = LocalCluster(setup, EventLog(lambda event: None), channel.cgroup)
    cluster.network.give_notice = lambda address, seconds: None
    rehearsed = RehearsedCluster(cluster)
    rehearsed.start()
    return accept(plan, rehearsed, channel.send)


def lacks_slow_disks() -> str:
    """Why this machine can't throttle a disk, or empty if it can."""
    if not (_BLKIO / "blkio.throttle.write_bps_device").exists():
        return "no blkio controller of cgroup v1"
    return "" if Path("/dev/loop-control").exists() and shutil.which("mkfs.ext4") else "no loop device or mkfs.ext4"


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


def lose_local_disks(host: Host) -> None:
    """Mount local disks on the first node only. Without this, no host has any."""
    if host.name.endswith("-1"):
        host.run("mkdir", "-p", "/mnt/local")
        host.run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/mnt/local")


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
