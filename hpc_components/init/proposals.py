"""What a cloud's part of `hpc init` proposes and writes, from two files beside it: `workloads.json`, `stack.yaml.j2`.

A cloud may do without (`Beginning` asks for neither file); `package` is the Python package that has them.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from hpc_components.catalog import Machine, close_names, is_known_type, machine
from hpc_components.cloud import cloud_named
from hpc_components.init import WORKLOADS
from hpc_components.init.answers import Answers

__all__ = ["first_sold", "known_machine", "listed", "others_alike", "stack_text"]


@cache
def listed(package: str) -> dict[str, Any]:
    """Machine types and settings that are proposed: by workload under `workloads`, and by role."""
    return json.loads((files(package) / "workloads.json").read_text(encoding="utf-8"))


def first_sold(package: str, workload: str, region: str, is_sold: Callable[[str, str], object]) -> str:
    """The first of the workload's machine types that the region sells. ValueError, with a remedy, if none is."""
    for name in listed(package)["workloads"][workload]["machines"]:
        if is_sold(name, region):
            return name
    raise ValueError(
        f"no machine type proposed for {workload} is known to be sold in {region}; name one with --machine"
    )


def known_machine(cloud: str, name: str) -> Machine | None:
    """A machine type's facts; None where the catalogue has but its name. ValueError, with a remedy, for no type."""
    facts = machine(cloud, name)
    if facts is None and not is_known_type(cloud, name):
        near = close_names(cloud, name)
        hint = f"did you mean {near[0]}?" if near else "`hpc machines` lists them"
        raise ValueError(f"{name!r} is no machine type of {cloud_named(cloud).title}; {hint}")
    return facts


def others_alike(package: str, answers: Answers) -> list[str]:
    """The other machine types proposed for the workload, where the chosen one is among them: they are alike."""
    names = listed(package)["workloads"][answers.workload]["machines"]
    return [name for name in names if name != answers.machine] if answers.machine in names else []


def stack_text(package: str, answers: Answers, **values: object) -> str:
    """The text of the stack file. The template has answers, what is listed of the workload, `title` and `values`."""
    import jinja2  # here, because questions do without

    purpose = WORKLOADS[answers.workload]
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters["word"] = _word
    template = environment.from_string((files(package) / "stack.yaml.j2").read_text(encoding="utf-8"))
    return template.render(
        **listed(package)["workloads"][answers.workload],
        **vars(answers) | {"budget": None if answers.budget is None else f"{answers.budget:.12g}"},
        title=f"{purpose[0].upper()}{purpose[1:]}.",
        **values,
    )


def _word(text: str) -> str:
    """As YAML reads it as a text: plain if nothing else can be meant (`no` and `1e3` can), else in quotes."""
    return (
        text if re.fullmatch(r"(?!(?:no?|on|off|y|yes|true|false|null)$)[a-z][a-z0-9-]*", text) else json.dumps(text)
    )
