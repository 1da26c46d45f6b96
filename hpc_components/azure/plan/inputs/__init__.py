"""Facts about inputs that Azure refuses although the SDK accepts them, and about the SDK's outdated enumerations."""

import json
from collections import defaultdict
from importlib.resources import files

from hpc_components.azure.plan.inputs.formats import FORMATS
from hpc_components.azure.plan.inputs.relations import RELATIONS, tags
from hpc_components.preview.inputs.input_facts import InputFacts, Rule


def _facts() -> InputFacts:
    table = json.loads(files(__name__).joinpath("known_values.json").read_text(encoding="utf-8"))
    properties: dict[str, dict[str, Rule]] = defaultdict(dict)
    for rule in table["properties"]:
        properties[rule["type"]][rule["path"]] = rule
    return InputFacts(
        properties=dict(properties),
        names={rule["name"]: rule for rule in table["names"]},
        formats=FORMATS,
        relations=RELATIONS,
        everywhere=(tags,),
        # the SDK's list of machine sizes is years out of date, and its list of streams lacks custom tables
        dated_enums=frozenset({"vmSize", "streams"}),
    )


FACTS = _facts()
