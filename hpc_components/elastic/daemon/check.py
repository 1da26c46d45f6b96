from collections.abc import Iterator

from hpc_components.elastic.config import Config
from hpc_components.elastic.drivers.contract import Driver, LaunchError
from hpc_components.elastic.slurm.contract import Slurm
from hpc_components.elastic.slurm.hostlists import fold

Finding = tuple[bool, str]
"""Whether the check passed, and a line of text for operators."""


def check(config: Config, slurm: Slurm, driver: Driver) -> Iterator[Finding]:
    """Check the configuration against Slurm and the cloud, and yield a line for each check. Change nothing."""
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
    yield True, f"Slurm is responding: {len(known)} cloud nodes"
    ours = {node for queue in config.queues for node in queue.nodes}
    if ours - known:
        words = f"these nodes are unknown to Slurm and are never launched: {fold(ours - known)}"
        yield False, f"{words}; check that slurmctld is using the new slurm.conf"
    if known - ours:
        yield False, f"these nodes are known to Slurm but missing from elastic.json: {fold(known - ours)}"


def _cloud(driver: Driver) -> Iterator[Finding]:
    try:
        machines = driver.list()
    except (OSError, LaunchError) as error:
        yield False, f"the cloud: {error}"
    else:
        yield True, f"the cloud is responding: {sum(machine.alive for machine in machines)} machines"
