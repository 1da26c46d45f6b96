"""Plans of this project's stacks after a change of their files, and what the change means."""

from functools import cache

from stack_recordings import PROJECT

from hpc_components.preview.plan import Plan
from hpc_components.preview.stack import plan_file
from hpc_components.review.document import Change, Review, Side
from hpc_components.review.make import review
from hpc_components.spec.project import StackFile
from hpc_components.spec.source import read_yaml

__all__ = ["change_of", "changed", "plan_of"]


@cache
def plan_of(stack: str, *edits: tuple[str, str]) -> Plan:
    """The plan of a stack whose file has the second text of each edit in place of the first, which it has once."""
    path = PROJECT.stack_dir / f"Pulumi.{stack}.yaml"
    text = path.read_text()
    for old, new in edits:
        assert text.count(old) == 1, f"{path.name} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    planned = plan_file(PROJECT, StackFile(path, read_yaml(text, path.name)))
    assert planned.plan is not None, planned.judgement.errors
    return planned.plan


def changed(stack: str, *edits: tuple[str, str]) -> Review:
    """The review of these edits."""
    return review(plan_of(stack), plan_of(stack, *edits), sides=(Side(source="main"), Side(source="working tree")))


def change_of(found: Review, kind: str, name: str = "") -> Change:
    """The only change of a resource of this kind, whose name ends so."""
    (change,) = [each for each in found.changes if each.type.rpartition(":")[2] == kind and each.name.endswith(name)]
    return change
