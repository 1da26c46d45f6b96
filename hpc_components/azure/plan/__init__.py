"""What is known of Azure's inputs; nothing else of a plan is read yet."""

from typing import TYPE_CHECKING

from hpc_components.preview.reader import PlanReader

if TYPE_CHECKING:
    from hpc_components.preview.inputs.facts import InputFacts

__all__ = ["READER"]


class AzurePlanReader(PlanReader):
    """Judges inputs by the SDK, but for the list of machine sizes."""

    region_input = "location"

    def inputs(self) -> "InputFacts":
        from hpc_components.azure.plan.inputs import FACTS

        return FACTS


READER = AzurePlanReader()
