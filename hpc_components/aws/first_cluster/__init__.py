"""Proposes a first cluster on AWS: chooses machines and a zone, and writes the description. See `FirstCluster`."""

import os

from hpc_components.catalog import machine, regions, zones, zones_offering
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

asks = ("key_pair",)
instead = {"ssh_key": "specify an EC2 key pair instead: --key-pair NAME"}

_ASK = (
    "to find them, run: aws ec2 describe-instance-type-offerings --location-type availability-zone-id "
    "--filters Name=instance-type,Values="
)


def default_region() -> str:
    """Return the region in the AWS environment variables, or else the region with the most HPC machine types."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-2"


def check_region(region: str) -> None:
    if region not in regions("aws"):
        hint = did_you_mean(region, regions("aws"), f"known: {', '.join(regions('aws'))}")
        raise ValueError(f"the catalogue has no AWS region {region!r}; {hint}")


def workload_of(machine_type: str) -> str:
    facts = machine("aws", machine_type)
    if facts is not None and facts.accelerator is not None:
        return "gpu"
    return "mpi" if facts is not None and facts.has_fabric else "throughput"


def machines_for(workload: str, region: str) -> list[str]:
    return sold(__name__, workload, region, _offering)


def max_nodes_for(workload: str) -> int:
    return proposed(__name__, workload, "max")


def scratch_for(workload: str) -> str:
    return proposed(__name__, workload, "scratch")


def machine_for(workload: str, region: str) -> str:
    return first_sold(__name__, workload, region, _offering)


def zone_for(machine_type: str, region: str) -> Zone:
    """Return the first zone that offers the machine type and, if possible, a machine type for the head node."""
    facts = known_machine("aws", machine_type)
    if facts is None or not facts.offered:
        return Zone(
            zones("aws", region)[0],
            f"the catalogue doesn't list the zones of {region} that offer {machine_type}; {_ASK}{machine_type}",
        )
    selling = _offering(machine_type, region)
    if not selling:
        raise ValueError(
            f"{machine_type} is not available in {region}; regions that offer it: {', '.join(sorted(facts.offered))}"
        )
    with_head = [zone for zone in selling if _first_in("head_nodes", facts.arch, region, zone)]
    return Zone((with_head or selling)[0])


def describe(answers: Answers) -> str:
    facts = machine("aws", answers.machine)
    arch = facts.arch if facts else "x86_64"
    public = is_reached_from_internet(answers)
    login = _first_in("login_nodes", arch, answers.region, answers.zone) if has_login_nodes(answers) else None
    is_spot = answers.workload == "throughput" and (facts is None or facts.spot)
    return stack_text(
        __name__,
        answers,
        head=_first_in("head_nodes", arch, answers.region, answers.zone) or "m7i.large",
        login=login,
        public=public,
        public_head=public and login is None,
        purchase="spot" if is_spot else "on_demand",
        fallback=_fallback(answers) if is_spot else [],
        no_fabric=facts is not None and facts.has_fabric and answers.workload in ("throughput", "teaching"),
        no_smt=answers.workload == "mpi" and facts is not None and facts.threads_per_core > 1,
    )


def _fallback(answers: Answers) -> list[str]:
    return [name for name in others_alike(__name__, answers) if answers.zone in _offering(name, answers.region)]


def _first_in(role: str, arch: str, region: str, zone: str) -> str | None:
    for name in listed(__name__)[role]:
        facts = machine("aws", name)
        if facts is not None and facts.arch == arch and zone in zones_offering(facts, region):
            return name
    return None


def _offering(name: str, region: str) -> tuple[str, ...]:
    facts = machine("aws", name)
    return zones_offering(facts, region) if facts else ()
