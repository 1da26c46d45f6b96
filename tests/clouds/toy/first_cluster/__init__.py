"""A first cluster on the toy cloud. See `FirstCluster`."""

from clouds.toy.catalog import CATALOG
from hpc_components.catalog import close_names, machine, machines, regions, zones_offering
from hpc_components.first_cluster.answers import Answers, Zone
from hpc_components.wording import did_you_mean

asks = ()
instead = {"ssh_key": "leave it out"}

_PROPOSED = {"mpi": "tide-64", "throughput": "shell-32", "gpu": "coral-192", "teaching": "shell-32"}

_STACK = """\
config:
  hpc:cluster:
    cloud: toy
    name: {answers.name}
    region: {answers.region}
    zone: {answers.zone}
    network: {{cidr: {answers.cidr}, ssh_from: [{ssh_from}]}}
    head_node: {{machine: pebble-4, public: {public}}}
    queues:
      - {{name: queue, machine: {answers.machine}, max: {answers.max_nodes}}}
"""

_BUDGET = "    budget: {{monthly: {answers.budget:g}, notify: [{notify}]}}\n"


def default_region() -> str:
    """The one with most machines."""
    return "reef-1"


def check_region(region: str) -> None:
    """There are two."""
    if region not in CATALOG.regions():
        hint = did_you_mean(region, regions("toy"), f"there are {', '.join(regions('toy'))}")
        raise ValueError(f"{region!r} is no region of the toy cloud; {hint}")


def workload_of(name: str) -> str:
    """GPUs are for training, Current is for MPI."""
    facts = machine("toy", name)
    if facts is not None and facts.accelerator:
        return "gpu"
    return "mpi" if facts is not None and facts.has_fabric else "throughput"


def machines_for(workload: str, region: str) -> list[str]:
    """The one that is proposed, where it is sold."""
    facts = machine("toy", _PROPOSED[workload])
    return [facts.name] if facts is not None and region in facts.offered else []


def max_nodes_for(workload: str) -> int:
    """The same for each."""
    return 4


def scratch_for(workload: str) -> str:
    """The toy cloud sells no Lustre."""
    return ""


def machine_for(workload: str, region: str) -> str:
    """What is proposed, where it is sold."""
    facts = machine("toy", _PROPOSED[workload])
    if facts is None or region not in facts.offered:
        raise ValueError(f"{_PROPOSED[workload]} is not sold in {region}; name another one with --machine")
    return facts.name


def zone_for(name: str, region: str) -> Zone:
    """The first zone that sells it."""
    facts = machine("toy", name)
    if facts is None:
        near = close_names("toy", name)
        known = ", ".join(one.name for one in machines("toy"))
        raise ValueError(
            f"{name!r} is no machine type of the toy cloud; "
            + (f"did you mean {near[0]}?" if near else f"there are {known}")
        )
    if region not in facts.offered:
        raise ValueError(f"{name} is not sold in {region}; it is in {', '.join(sorted(facts.offered))}")
    return Zone(zones_offering(facts, region)[0])


def describe(answers: Answers) -> str:
    """The text of the stack file."""
    text = _STACK if answers.budget is None else _STACK + _BUDGET
    return text.format(
        answers=answers,
        ssh_from=", ".join(answers.ssh_from),
        public="true" if answers.ssh_from else "false",
        notify=", ".join(answers.notify),
    )
