"""`hpc-elastic check`: checks whether Slurm and the cloud answer and agree with the configuration."""

from collections.abc import Iterator

from hpc_components.elastic.config import Config
from hpc_components.elastic.drivers.contract import Driver, LaunchError
from hpc_components.elastic.slurm.contract import Slurm
from hpc_components.elastic.slurm.hostlists import fold

Finding = tuple[bool, str]
"""(whether the check passed, a line for operators)."""


def check(config: Config, slurm: Slurm, driver: Driver) -> Iterator[Finding]:
    """Compare the configuration with Slurm and the cloud, and yield a line for each check. Change nothing."""
    most = sum(queue.max for queue in config.queues)
    yield True, f"cluster {config.cluster} on {config.cloud}: {len(config.queues)} queues, at most {most} machines"
    yield from _slurm(config, slurm)
    yield from _cloud(driver)


def _slurm(config: Config, slurm: Slurm) -> Iterator[Finding]:
    try:
        known = {node.name for node in slurm.nodes()}
    except OSError as error:
        yield False, f"Slurm: {error}"
        return
    yield True, f"Slurm answers: {len(known)} cloud nodes"
    ours = {node for queue in config.queues for node in queue.nodes}
    if ours - known:
        words = f"unknown to Slurm and never launched: {fold(ours - known)}"
        yield False, f"{words}; check that slurmctld runs with the new slurm.conf"
    if known - ours:
        yield False, f"known to Slurm, but missing from elastic.json: {fold(known - ours)}"


def _cloud(driver: Driver) -> Iterator[Finding]:
    try:
        machines = driver.list()
    except (OSError, LaunchError) as error:
        yield False, f"the cloud: {error}"
    else:
        yield True, f"the cloud answers: {sum(machine.alive for machine in machines)} machines"
