"""A first cluster on AWS: which machine and zone, and the description around them. See `init.answers.Beginning`."""

import json
import os
import re
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Network
from typing import Any

from hpc_components.catalog import close_names, is_known_type, machine, regions, zones, zones_offering
from hpc_components.init import WORKLOADS
from hpc_components.init.answers import Answers, Zone
from hpc_components.spec.rules.network import PRIVATE_RANGES
from hpc_components.wording import did_you_mean

__all__ = ["asks", "check_region", "default_region", "describe", "machine_for", "workload_of", "zone_for"]

asks = ()

_ASK = (
    "ask aws ec2 describe-instance-type-offerings --location-type availability-zone-id "
    "--filters Name=instance-type,Values="
)


def default_region() -> str:
    """The region that AWS's own tools are set to, or the one with most HPC machine types."""
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-2"


def check_region(region: str) -> None:
    """The region is one whose zones are known."""
    if region not in regions("aws"):
        hint = did_you_mean(region, regions("aws"), f"known are {', '.join(regions('aws'))}")
        raise ValueError(f"{region!r} is no region of AWS that we know; {hint}")


def workload_of(machine_type: str) -> str:
    """GPUs are for training, EFA is for MPI."""
    facts = machine("aws", machine_type)
    if facts is not None and facts.accelerator is not None:
        return "gpu"
    return "mpi" if facts is not None and facts.has_fabric else "throughput"


def machine_for(workload: str, region: str) -> str:
    """The first of the workload's machine types that the region sells."""
    listed = _listed()["workloads"][workload]["machines"]
    for name in listed:
        if _offering(name, region):
            return name
    raise ValueError(
        f"no machine type proposed for {workload} is known to be sold in {region}; name one with --machine"
    )


def zone_for(machine_type: str, region: str) -> Zone:
    """The first zone that sells the machine type and one for the head node."""
    facts = machine("aws", machine_type)
    if facts is None and not is_known_type("aws", machine_type):
        near = close_names("aws", machine_type)
        hint = f"did you mean {near[0]}?" if near else "`hpc machines` lists them"
        raise ValueError(f"{machine_type!r} is no machine type of AWS; {hint}")
    if facts is None or not facts.offered:
        return Zone(
            zones("aws", region)[0],
            f"which zones of {region} sell {machine_type} is not known here; {_ASK}{machine_type}",
        )
    selling = _offering(machine_type, region)
    if not selling:
        raise ValueError(f"{machine_type} is not sold in {region}; it is in {', '.join(sorted(facts.offered))}")
    with_head = [zone for zone in selling if _first_in("head_nodes", facts.arch, region, zone)]
    return Zone((with_head or selling)[0])


def describe(answers: Answers) -> str:
    """The text of the stack file."""
    import jinja2  # here, because questions do without

    facts = machine("aws", answers.machine)
    arch = facts.arch if facts else "x86_64"
    is_private = [any(IPv4Network(each).subnet_of(own) for own in PRIVATE_RANGES) for each in answers.ssh_from]
    public = not all(is_private)
    # A head node without a public address lets nobody in by SSH, so those who come through a VPN need login nodes.
    has_login = answers.workload == "teaching" or (bool(is_private) and not public)
    login = _first_in("login_nodes", arch, answers.region, answers.zone) if has_login else None
    workload, purpose = _listed()["workloads"][answers.workload], WORKLOADS[answers.workload]
    is_spot = answers.workload == "throughput" and (facts is None or facts.spot)
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters["word"] = _word
    template = environment.from_string((files(__name__) / "stack.yaml.j2").read_text(encoding="utf-8"))
    return template.render(
        **workload,
        **vars(answers) | {"budget": None if answers.budget is None else f"{answers.budget:.12g}"},
        title=f"{purpose[0].upper()}{purpose[1:]}.",
        head=_first_in("head_nodes", arch, answers.region, answers.zone) or "m7i.large",
        login=login,
        public=public,
        public_head=public and login is None,
        purchase="spot" if is_spot else "on_demand",
        fallback=_fallback(answers, workload["machines"]) if is_spot else [],
        no_fabric=facts is not None and facts.has_fabric and answers.workload in ("throughput", "teaching"),
        no_smt=answers.workload == "mpi" and facts is not None and facts.threads_per_core > 1,
    )


def _word(text: str) -> str:
    """As YAML reads it as a text: plain if nothing else can be meant (`no` and `1e3` can), else in quotes."""
    return (
        text if re.fullmatch(r"(?!(?:no?|on|off|y|yes|true|false|null)$)[a-z][a-z0-9-]*", text) else json.dumps(text)
    )


def _fallback(answers: Answers, listed: list[str]) -> list[str]:
    """The other proposed machine types, where the chosen one is among them: they are alike."""
    others = [name for name in listed if name != answers.machine] if answers.machine in listed else []
    return [name for name in others if answers.zone in _offering(name, answers.region)]


def _first_in(role: str, arch: str, region: str, zone: str) -> str | None:
    """The first of the machine types listed for `role` that the zone sells."""
    for name in _listed()[role]:
        facts = machine("aws", name)
        if facts is not None and facts.arch == arch and zone in zones_offering(facts, region):
            return name
    return None


def _offering(name: str, region: str) -> tuple[str, ...]:
    facts = machine("aws", name)
    return zones_offering(facts, region) if facts else ()


@cache
def _listed() -> dict[str, Any]:
    return json.loads((files(__name__) / "workloads.json").read_text(encoding="utf-8"))
