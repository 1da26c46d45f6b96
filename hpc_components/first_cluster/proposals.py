"""Generates proposals and stack files from a cloud's `workloads.json` and `stack.yaml.j2`.

These functions can be used by every cloud whose `first_cluster` package contains the two files; the interface
`FirstCluster` does not require them. `package` is the Python package that contains the files.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Network
from typing import Any

from hpc_components.catalog import Machine, close_names, is_known_type, machine
from hpc_components.catalog.prices import price
from hpc_components.cloud import cloud_named
from hpc_components.first_cluster import WORKLOADS
from hpc_components.first_cluster.answers import Answers
from hpc_components.spec.address_ranges import is_public

_FIRST_UID = 2001


@cache
def listed(package: str) -> dict[str, Any]:
    """Return the contents of `workloads.json`: proposals for each workload, under `workloads`, and a machine type for
    each role.
    """
    return json.loads((files(package) / "workloads.json").read_text(encoding="utf-8"))


def proposed(package: str, workload: str, setting: str) -> Any:
    """Return the proposed value of a workload's setting (`max` or `scratch`), or an empty string if nothing is
    proposed.
    """
    return listed(package)["workloads"][workload].get(setting, "")


def sold(package: str, workload: str, region: str, is_sold: Callable[[str, str], object]) -> list[str]:
    """Return the workload's machine types that are available in the region, starting with the proposed one."""
    return [name for name in listed(package)["workloads"][workload]["machines"] if is_sold(name, region)]


def first_sold(package: str, workload: str, region: str, is_sold: Callable[[str, str], object]) -> str:
    """Return the workload's first machine type that is available in the region.

    Raise ValueError, with a remedy, if none is available.
    """
    for name in sold(package, workload, region, is_sold):
        return name
    raise ValueError(
        f"none of the machine types proposed for {workload} is known to be available in {region}; choose a "
        "type with --machine"
    )


def is_reached_from_internet(answers: Answers) -> bool:
    return any(is_public(IPv4Network(each)) for each in answers.ssh_from)


def has_login_nodes(answers: Answers) -> bool:
    """Return whether to create login nodes.

    The user's answer takes precedence. By default, teaching clusters and clusters with VPN users have login nodes: a
    head node without a public address does not accept SSH, so users who connect through a VPN need a login node.
    """
    if answers.login_nodes is not None:
        return answers.login_nodes
    return answers.workload == "teaching" or (bool(answers.ssh_from) and not is_reached_from_internet(answers))


def known_machine(cloud: str, name: str) -> Machine | None:
    """Return the facts about a machine type, or None if the catalogue contains only the type's name.

    Raise ValueError, with a remedy, if the type does not exist.
    """
    facts = machine(cloud, name)
    if facts is None and not is_known_type(cloud, name):
        near = close_names(cloud, name)
        hint = f"did you mean {near[0]}?" if near else "run `hpc machines` for a list"
        raise ValueError(f"{name!r} is not a machine type of {cloud_named(cloud).title}; {hint}")
    return facts


def machine_words(cloud: str, name: str, region: str) -> str:
    facts = machine(cloud, name)
    if facts is None:
        return ""
    cost = price(facts, region, "on_demand")
    parts = [
        f"{facts.cores} cores",
        f"{facts.memory_gib:g} GiB",
        f"{facts.accelerator.count} x {facts.accelerator.model}" if facts.accelerator else "",
        facts.fabric.name if facts.fabric else "",
        f"USD {cost.usd:.2f} per hour" if cost else "",
    ]
    return ", ".join(filter(None, parts))


def others_alike(package: str, answers: Answers) -> list[str]:
    """Return the workload's other proposed machine types, which are similar to the chosen one.

    Return an empty list if the chosen type is not one of the proposals.
    """
    names = listed(package)["workloads"][answers.workload]["machines"]
    return [name for name in names if name != answers.machine] if answers.machine in names else []


def stack_text(package: str, answers: Answers, **values: object) -> str:
    """Render the stack file.

    The template can use the answers, the workload's settings, `title` and `values`.
    """
    import jinja2  # imported here because the interview itself doesn't need it

    purpose = WORKLOADS[answers.workload]
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters["word"] = _word
    template = environment.from_string((files(package) / "stack.yaml.j2").read_text(encoding="utf-8"))
    text = template.render(
        **listed(package)["workloads"][answers.workload]
        | vars(answers)
        | {"budget": None if answers.budget is None else f"{answers.budget:.12g}"},
        title=f"{purpose[0].upper()}{purpose[1:]}.",
        **values,
    )
    return text + "".join(_people(answers.users))


def _people(users: Mapping[str, str]) -> Iterator[str]:
    if users:
        yield "    people:                       # hpc validate checks names, ids and keys\n      users:\n"
    for number, (name, key) in enumerate(users.items()):
        admin = "" if number else "admin: true, "
        yield f"        {_word(name)}: {{uid: {_FIRST_UID + number}, {admin}keys: [{json.dumps(key)}]}}\n"


def _word(text: str) -> str:
    """Return `text` as a YAML scalar that is read as a string.

    The scalar is quoted unless it can't be read as another type. For example, `no` and `1e3` must be quoted.
    """
    return (
        text if re.fullmatch(r"(?!(?:no?|on|off|y|yes|true|false|null)$)[a-z][a-z0-9-]*", text) else json.dumps(text)
    )
