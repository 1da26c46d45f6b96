"""Rehearsals for tests: real daemons on the generated files of the reference stacks."""

from functools import cache
from pathlib import Path

from clouds.aws.convert.converting import judged, of_file

from hpc_components.rehearse.cluster.setup import slurm_release
from hpc_components.rehearse.events import Fault
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.hosts.sandbox_init import Channel
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.run.requirements import missing
from hpc_components.rehearse.run.runner import plan_rehearsal, run_rehearsal
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.project import find_project
from hpc_components.spec.validate import judge

REPOSITORY = Path(__file__).parents[2]

ROOTS = {"22.05": Path("/"), "24.11": REPOSITORY / "build/rfs/trixie-slurm"}
"""Root file systems by the release of Slurm in them."""


@cache
def lacks(release: str) -> str:
    """What is missing to rehearse with a release of Slurm; empty if nothing is."""
    root = ROOTS[release]
    if not (root / "usr/sbin/slurmctld").exists():
        return f"needs Slurm {release} in {root}: `make system` puts it there"
    if reasons := missing(root=root):
        return "; ".join(map(str, reasons))
    found = slurm_release(root)
    return "" if found.startswith(release) else f"needs Slurm {release} in {root}, which has {found}"


def described(stack: str) -> ClusterSpec:
    """The cluster of a stack of this repository."""
    cluster = judge(find_project(REPOSITORY).open(stack).cluster).cluster
    assert cluster is not None
    return cluster


def converted(file: str) -> ClusterSpec:
    """The cluster that `hpc convert` makes of a ParallelCluster file of `tests/clouds/aws/convert/files`."""
    cluster = judged(of_file(file)).cluster
    assert cluster is not None
    return cluster


def rehearsed(stack: str | ClusterSpec, release: str = "22.05", fault: str = "", **wanted) -> Rehearsal:
    """A whole rehearsal."""
    cluster = described(stack) if isinstance(stack, str) else stack
    plan = plan_rehearsal(cluster, root=ROOTS[release], fault=Fault(fault) if fault else None, **wanted)
    return run_rehearsal(plan, lambda event: None)


def played(scene, stack: str, release: str = "22.05", fault: str = ""):
    """What `scene(channel, plan)` returns, called in a sandbox."""
    plan = plan_rehearsal(described(stack), root=ROOTS[release], fault=Fault(fault) if fault else None)
    with Sandbox(_call, scene, plan) as sandbox:
        return sandbox.result()


def _call(channel: Channel, scene, plan):
    return scene(channel, plan)
