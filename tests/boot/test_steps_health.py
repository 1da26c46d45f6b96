"""The step that installs hpc-health, and keeps a broken machine out of the cluster."""

import base64
import json
from collections.abc import Callable

from hpc_components.boot.archive import node_archive
from hpc_components.health.files import WANTED

from .sandbox import Sandbox

Make = Callable[..., Sandbox]
STEP = ("compute/health.sh", "health")
INSTALLED = ("opt/hpc/bin/hpc-health", "opt/hpc/bin/hpc-health-idle", "etc/hpc/health.json")


def wanted(mib: int) -> str:
    queue = {"checks": ["memory", "mounts"], "gpus": 0, "memory_mib": mib, "scratch": ""}
    limits = {"memory": {"percent": 90}, "mounts": {"seconds": 10}}
    checks = {name: {"at": ["boot", "idle"], "limits": limits[name]} for name in limits}
    return json.dumps({"checks": checks, "xids": {}, "queues": {"debug": queue}})


def node(make: Make, mib: int = 1) -> Sandbox:
    encoded = base64.b64encode(node_archive("health")).decode()
    box = make("compute", **{WANTED: wanted(mib), "compute/hpc-health.b64": encoded})
    box.environment["SLURMD_NODENAME"] = "debug-1"
    return box


def test_a_healthy_machine_gets_the_program_and_joins(sandbox: Make) -> None:
    box = node(sandbox)
    assert box.step(*STEP).splitlines() == [f"wrote /{path}" for path in INSTALLED]
    assert box.step(*STEP) == ""
    listed = box.run("/opt/hpc/bin/hpc-health", "list").stdout
    assert listed == "memory: boot, idle (percent 90)\nmounts: boot, idle (seconds 10)\n"


def test_a_machine_with_too_little_memory_does_not_join(sandbox: Make) -> None:
    said = node(sandbox, mib=1 << 30).failing(*STEP)
    assert said.startswith("memory: ")
    assert said.endswith("fewer than 966367641")


def test_a_lost_mount_is_found_by_the_program_that_slurm_runs(sandbox: Make) -> None:
    box = node(sandbox)
    box.step(*STEP)
    box.write("etc/fstab", "# hpc begin shared\nfs:/ /lost nfs4 rw 0 0\n# hpc end shared\n")
    box.fake("scontrol", 'echo "$*" >>/called; [[ $1 == update ]] || echo "NodeName=debug-1 State=IDLE+CLOUD"')
    box.fake("logger", "")
    done = box.run("/opt/hpc/bin/hpc-health-idle")
    assert done.returncode == 3
    assert done.stdout.splitlines()[-1] == "drained: hpc: health: mounts: /lost is not mounted"
    assert box.read("called").splitlines() == [
        "show node debug-1 --oneliner",
        "update nodename=debug-1 state=drain reason=hpc: health: mounts: /lost is not mounted",
    ]


def test_a_broken_program_keeps_no_machine_out(sandbox: Make) -> None:
    box = node(sandbox)
    box.write(f"opt/hpc/config/{WANTED}", "{}")
    assert "hpc-health: 'queues'" in box.step(*STEP)


def test_a_cluster_without_checks_has_no_program(sandbox: Make) -> None:
    box = node(sandbox)
    box.step(*STEP)
    (box.root / f"opt/hpc/config/{WANTED}").unlink()
    assert box.step(*STEP) == ""
    assert not [path for path in INSTALLED if (box.root / path).exists()]
