"""What AWS refuses in the inputs of recorded links."""

from hpc_components.aws.lustre_links.offer import facts_of_kind
from hpc_components.preview.inputs.input_facts import InputFacts, Rule
from hpc_components.preview.reader import PlanReader
from hpc_components.spec.surfaces import Keys

_INPUTS: Keys = {"path": None, "bucket": None, "earlier": None}
"""Inputs by the fields of an order: the formats in `facts.json` cover them, without a look at other links."""


class LinksPlan(PlanReader):
    """Data repository associations."""

    def inputs(self) -> InputFacts:
        """Return the checks of the inputs of links."""
        properties: dict[str, dict[str, Rule]] = {}
        for record in facts_of_kind("input"):
            properties.setdefault(record["type"], {})[record["path"]] = record
        return InputFacts(properties=properties)


READER = LinksPlan()
