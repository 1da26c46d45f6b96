"""Checks inputs for values that Google Cloud would reject but its SDK accepts."""

import json
from collections import defaultdict
from importlib.resources import files

from hpc_components.gcp.plan.inputs.between import BETWEEN
from hpc_components.gcp.plan.inputs.formats import FORMATS
from hpc_components.gcp.plan.inputs.relations import RELATIONS, labels
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
        between=BETWEEN,
        everywhere=(labels,),
    )


FACTS = _facts()
