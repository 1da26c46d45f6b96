"""Proposes a first cluster on Azure: chooses machines and a zone, and writes the description. See `FirstCluster`."""

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
"""Questions asked only for Azure, where no one can log in to a machine without an SSH key."""
instead = {"key_pair": "use the public key itself: --ssh-key FILE"}


def default_region() -> str:
    """Return the region that the Azure CLI is configured for, or else the region with the most HPC machine types."""
    return os.environ.get("AZURE_DEFAULTS_LOCATION") or "eastus"


def check_region(region: str) -> None:
    known = regions("azure")
    if region not in known:
        plain = region.replace(" ", "").lower()
        hint = did_you_mean(plain, known, f"use one of {', '.join(known)}")
        raise ValueError(f"the catalogue has no region {region!r} of Azure; {hint}")


def workload_of(machine_type: str) -> str:
    facts = machine("azure", machine_type)
    if facts is not None and facts.accelerator is not None:
        return "gpu"
    return "mpi" if facts is not None and facts.has_fabric else "throughput"


def machines_for(workload: str, region: str) -> list[str]:
    return sold(__name__, workload, region, _is_sold)


def max_nodes_for(workload: str) -> int:
    return proposed(__name__, workload, "max")


def scratch_for(workload: str) -> str:
    return proposed(__name__, workload, "scratch")


def machine_for(workload: str, region: str) -> str:
    return first_sold(__name__, workload, region, _is_sold)


def zone_for(machine_type: str, region: str) -> Zone:
    """Return the region's first zone, with a note that each subscription may offer the machine type in different
    zones.
    """
    facts = known_machine("azure", machine_type)
    if facts is not None and facts.offered and region not in facts.offered:
        raise ValueError(f"{machine_type} is not offered in {region}, only in {', '.join(sorted(facts.offered))}")
    if not has_zones(region):
        return Zone(region)
    first = next(zone for zone in zones("azure", region) if zone != region)
    return Zone(
        first,
        f"the zones of {region} that offer {machine_type} differ between subscriptions; to list yours, run az "
        f"vm list-skus --location {region} --zone --size {machine_type}",
    )


def describe(answers: Answers) -> str:
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
    return [name for name in others_alike(__name__, answers) if _is_sold(name, answers.region)]


def _first_in(role: str, arch: str) -> str:
    """Return the first machine type listed for `role` that has this architecture. All regions offer these types."""
    found = ((name, machine("azure", name)) for name in listed(__name__)[role])
    return next(
        (name for name, facts in found if facts is not None and facts.arch == arch), listed(__name__)[role][0]
    )


def _is_sold(name: str, region: str) -> bool:
    facts = machine("azure", name)
    return facts is not None and region in facts.offered
