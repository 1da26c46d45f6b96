"""A first cluster on Azure: which machine and zone, and the description around them. See `FirstCluster`."""

import os

from hpc_components.azure.catalog.zones import has_zones
from hpc_components.catalog import machine, regions, zones
from hpc_components.first_cluster.answers import Answers, Zone
from hpc_components.first_cluster.proposals import (
    first_sold,
    has_login_nodes,
    is_reached_from_internet,
    known_machine,
    listed,
    others_alike,
    proposed,
    sold,
    stack_text,
)
from hpc_components.wording import did_you_mean

asks = ("ssh_key",)
"""Nobody gets onto a machine of Azure's without a key: there is no other shell."""
instead = {"key_pair": "the public key itself is given instead: --ssh-key FILE"}


def default_region() -> str:
    """The region that Azure's own command is set to, or one with most HPC machine types."""
    return os.environ.get("AZURE_DEFAULTS_LOCATION") or "eastus"


def check_region(region: str) -> None:
    """The region is one that is known, as Azure writes it without blanks."""
    known = regions("azure")
    if region not in known:
        plain = region.replace(" ", "").lower()
        hint = did_you_mean(plain, known, f"known are {', '.join(known)}")
        raise ValueError(f"{region!r} is no region of Azure that we know; {hint}")


def workload_of(machine_type: str) -> str:
    """GPUs are for training, InfiniBand is for MPI."""
    facts = machine("azure", machine_type)
    if facts is not None and facts.accelerator is not None:
        return "gpu"
    return "mpi" if facts is not None and facts.has_fabric else "throughput"


def machines_for(workload: str, region: str) -> list[str]:
    """The workload's machine types that the region sells."""
    return sold(__name__, workload, region, _is_sold)


def max_nodes_for(workload: str) -> int:
    """As listed for the workload."""
    return proposed(__name__, workload, "max")


def scratch_for(workload: str) -> str:
    """As listed for the workload."""
    return proposed(__name__, workload, "scratch")


def machine_for(workload: str, region: str) -> str:
    """The first of the workload's machine types that the region sells."""
    return first_sold(__name__, workload, region, _is_sold)


def zone_for(machine_type: str, region: str) -> Zone:
    """The first zone of the region, where it has zones: which of them sell a type, each subscription must ask."""
    facts = known_machine("azure", machine_type)
    if facts is not None and facts.offered and region not in facts.offered:
        raise ValueError(f"{machine_type} is not sold in {region}; it is in {', '.join(sorted(facts.offered))}")
    if not has_zones(region):
        return Zone(region)
    first = next(zone for zone in zones("azure", region) if zone != region)
    return Zone(
        first,
        f"which zones of {region} sell {machine_type} is another matter in each subscription; ask az vm list-skus"
        f" --location {region} --zone --size {machine_type}",
    )


def describe(answers: Answers) -> str:
    """The text of the stack file."""
    facts = machine("azure", answers.machine)
    arch = facts.arch if facts else "x86_64"
    from_internet = is_reached_from_internet(answers)
    login = _first_in("login_nodes", arch) if has_login_nodes(answers) else None
    is_spot = answers.workload == "throughput" and (facts is None or facts.spot)
    has_fabric = facts is not None and facts.has_fabric
    return stack_text(
        __name__,
        answers,
        head=_first_in("head_nodes", arch),
        login=login,
        public=from_internet,
        public_head=from_internet and login is None,
        bastion=not answers.ssh_from,
        purchase="spot" if is_spot else "on_demand",
        fallback=_fallback(answers) if is_spot else [],
        no_fabric=has_fabric and answers.workload in ("throughput", "teaching"),
        local_scratch=answers.workload == "mpi" and facts is not None and facts.local_nvme_gb > 0,
    )


def _fallback(answers: Answers) -> list[str]:
    """The other proposed machine types that are sold there."""
    return [name for name in others_alike(__name__, answers) if _is_sold(name, answers.region)]


def _first_in(role: str, arch: str) -> str:
    """The first of the machine types listed for `role` with that architecture; all regions sell them."""
    found = ((name, machine("azure", name)) for name in listed(__name__)[role])
    return next(
        (name for name, facts in found if facts is not None and facts.arch == arch), listed(__name__)[role][0]
    )


def _is_sold(name: str, region: str) -> bool:
    facts = machine("azure", name)
    return facts is not None and region in facts.offered
