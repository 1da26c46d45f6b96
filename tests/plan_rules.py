"""What the rules of the plan find in a program."""

from collections.abc import Callable

from hpc_components.preview.judge import judge_resources
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import record


def found_in(program: Callable[[], object], *, preview: bool = True) -> set[tuple[str, str]]:
    """Id and path of each finding."""
    resources = resources_of(record(program, preview=preview))
    return {(each.id, each.path) for each in judge_resources(resources)}
