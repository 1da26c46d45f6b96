"""Plans of this project's stacks after a change of their files, and what the change means."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from unittest.mock import patch

from stack_recordings import PROJECT, known_recordings

from hpc_components.boot import files as boot
from hpc_components.boot.packaged import packaged_scripts
from hpc_components.preview.plan import Plan
from hpc_components.preview.stack import plan_file
from hpc_components.review.document import Change, Review, Side
from hpc_components.review.make import review
from hpc_components.spec.project import StackFile
from hpc_components.spec.source import read_yaml

_SDKS = {"aws": "pulumi_aws", "azure": "pulumi_azure_native", "gcp": "pulumi_gcp"}


def stack_text(stack: str, *edits: tuple[str, str]) -> str:
    """The stack's file, with the second text of each edit in place of the first, which it has once."""
    path = PROJECT.stack_dir / f"Pulumi.{stack}.yaml"
    text = path.read_text()
    for old, new in edits:
        assert text.count(old) == 1, f"{path.name} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    return text


@cache
def plan_of(stack: str, *edits: tuple[str, str]) -> Plan:
    """The plan of a stack with these edits, made once."""
    if edits:
        return planned(stack, stack_text(stack, *edits))
    with known_recordings():
        return planned(stack, stack_text(stack))


def planned(stack: str, text: str, *, scripts: Mapping[str, str] = MappingProxyType({}), provider: str = "") -> Plan:
    """The plan of a stack whose file has this text.

    Nodes fetch `scripts` beside those of the package; `provider` is the version of the cloud's SDK, if another one.
    """
    path = PROJECT.stack_dir / f"Pulumi.{stack}.yaml"
    utilities = import_module(f"{_SDKS[stack.partition('-')[0]]}._utilities")
    with (
        patch.object(boot, "packaged_scripts", lambda package: {**packaged_scripts(package), **scripts}),
        patch.object(utilities, "_version_str", provider or utilities._version_str),
    ):
        found = plan_file(PROJECT, StackFile(path, read_yaml(text, path.name)))
    assert found.plan is not None, found.judgement.errors
    return found.plan


def changed(stack: str, *edits: tuple[str, str]) -> Review:
    """The review of these edits."""
    return review(plan_of(stack), plan_of(stack, *edits), sides=(Side(source="main"), Side(source="working tree")))


def change_of(found: Review, kind: str, name: str = "") -> Change:
    """The only change of a resource of this kind, whose name ends so."""
    (change,) = [each for each in found.changes if each.type.rpartition(":")[2] == kind and each.name.endswith(name)]
    return change
