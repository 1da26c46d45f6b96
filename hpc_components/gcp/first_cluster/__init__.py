"""See `FirstCluster`."""

import os

from hpc_components.catalog import machine, regions, zones, zones_offering
from hpc_components.catalog.machine_type import Machine
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
from hpc_components.gcp.catalog.images import has_fabric_driver
from hpc_components.gcp.catalog.zones import region_of
from hpc_components.gcp.spec import GcpClusterSpec
from hpc_components.wording import did_you_mean

asks = ("project", "billing_account")
"""Questions to ask for Google Cloud. Users log in through IAM (OS Login), so no SSH key is requested."""
instead = dict.fromkeys(("ssh_key", "key_pair"), "users log in through OS Login: grant them roles/compute.osLogin")


_OS: str = GcpClusterSpec.model_fields["os"].default


def default_region() -> str:
    """Return the region set in gcloud's environment variables. Default: the region with the most HPC machine
    types.
    """
    zone = os.environ.get("CLOUDSDK_COMPUTE_ZONE")
    return os.environ.get("CLOUDSDK_COMPUTE_REGION") or (region_of(zone) if zone else "us-central1")


def check_region(region: str) -> None:
    known = regions("gcp")
    if region in known:
        return
    if region_of(region) in known:
        raise ValueError(
            f"{region!r} is a zone; specify its region, {region_of(region)}, and use --zone for the zone"
        )
    hint = did_you_mean(region.lower(), known, f"known: {', '.join(known)}")
    raise ValueError(f"the catalogue has no Google Cloud region {region!r}; {hint}")


def workload_of(machine_type: str) -> str:
    facts = machine("gcp", machine_type)
    if facts is not None and facts.accelerator is not None:
        return "gpu"
    return "mpi" if facts is not None and _is_for_mpi(facts) else "throughput"


def machines_for(workload: str, region: str) -> list[str]:
    return sold(__name__, workload, region, _is_sold)


def max_nodes_for(workload: str) -> int:
    return proposed(__name__, workload, "max")


def scratch_for(workload: str) -> str:
    return proposed(__name__, workload, "scratch")


def machine_for(workload: str, region: str) -> str:
    return first_sold(__name__, workload, region, _is_sold)


def zone_for(machine_type: str, region: str) -> Zone:
    """Return the first zone in the region that offers the type. If the zones are unknown, return the region's first
    zone.
    """
    facts = known_machine("gcp", machine_type)
    if facts is not None and facts.offered and region not in facts.offered:
        raise ValueError(f"{machine_type} is not available in {region}, only in {', '.join(sorted(facts.offered))}")
    if facts is not None and (selling := zones_offering(facts, region)):
        return Zone(selling[0])
    return Zone(
        next(iter(zones("gcp", region)), region),
        f"the catalogue doesn't list the zones in {region} that offer {machine_type}; to find them: gcloud "
        f"compute machine-types list --filter name={machine_type}",
    )


def describe(answers: Answers) -> str:
    facts = machine("gcp", answers.machine)
    arch = facts.arch if facts else "x86_64"
    from_internet = is_reached_from_internet(answers)
    login = _first_in("login_nodes", arch, answers.zone) if has_login_nodes(answers) else None
    is_spot = answers.workload == "throughput" and (facts is None or facts.spot)
    apart = answers.workload in ("throughput", "teaching")
    return stack_text(
        __name__,
        answers,
        head=_first_in("head_nodes", arch, answers.zone),
        login=login,
        public=from_internet,
        public_head=from_internet and login is None,
        purchase="spot" if is_spot else "on_demand",
        fallback=_fallback(answers) if is_spot else [],
        apart=apart,
        no_fabric=facts is not None and facts.has_fabric and (apart or not has_fabric_driver(_OS, facts)),
        local_scratch=answers.workload == "mpi" and facts is not None and facts.local_nvme_gb > 0,
    )


def _is_for_mpi(facts: Machine) -> bool:
    return facts.has_fabric or facts.family in ("h3", "h4d")


def _fallback(answers: Answers) -> list[str]:
    return [name for name in others_alike(__name__, answers) if _is_in(name, answers.zone)]


def _first_in(role: str, arch: str, zone: str) -> str:
    """Return the first machine type for `role` with this architecture. Types that are available in the zone are
    preferred.
    """
    fitting = [name for name in listed(__name__)[role] if (facts := machine("gcp", name)) and facts.arch == arch]
    return next((name for name in fitting if _is_in(name, zone)), next(iter(fitting), listed(__name__)[role][0]))


def _is_sold(name: str, region: str) -> bool:
    facts = machine("gcp", name)
    return facts is not None and region in facts.offered


def _is_in(name: str, zone: str) -> bool:
    """Return whether a zone offers a type. If the region offers the type but the zones are unknown, return True."""
    facts, region = machine("gcp", name), region_of(zone)
    if facts is None or region not in facts.offered:
        return False
    return zone in (zones_offering(facts, region) or (zone,))
