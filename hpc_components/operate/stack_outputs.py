"""Reads a stack's outputs, updates and ids by the `pulumi` program; outputs also from a file with what it printed."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpc_components.operate.reach import what_is_missing
from hpc_components.operate.ways import Program, ReachError
from hpc_components.strict_json import InvalidJsonError, parse_json
from hpc_components.user_files import read_user_text

PULUMI = Program(
    name="pulumi",
    remedy="reads the stack's outputs: https://www.pulumi.com/docs/install; or give them with --outputs FILE, made by"
    " `pulumi stack output --json` elsewhere",
)


def outputs_of_stack(stack: str) -> Mapping[str, Any]:
    """Ask `pulumi` for the outputs of a stack of the project in the current folder.

    Its questions and errors go to the terminal. Raise ReachError if it is missing or fails.
    """
    return _mapping(_printed(stack, "outputs", "output", "--json"), "pulumi's answer")


def updates_of_stack(stack: str) -> list[Mapping[str, Any]]:
    """Ask `pulumi` for the updates of a stack of the project in the current folder, the newest first.

    Raise ReachError if it is missing or fails.
    """
    try:
        updates = parse_json(_printed(stack, "history", "history", "--json"))
        return [each for each in updates if isinstance(each, Mapping) and "startTime" in each]
    except (InvalidJsonError, TypeError):
        raise ReachError(f"pulumi printed no history of stack {stack!r}") from None


def ids_of_stack(stack: str) -> list[str]:
    """Ask `pulumi` for the ids of the resources that a stack of the project in the current folder has made.

    Raise ReachError if it is missing or fails. Source: pulumi, sdk/go/common/apitype/core.go, ResourceV3.
    """
    try:
        state = parse_json(_printed(stack, "state", "export"))
        resources = state["deployment"].get("resources") or []
        return [str(each["id"]) for each in resources if each.get("id") and not each.get("external")]
    except (AttributeError, InvalidJsonError, KeyError, TypeError):
        raise ReachError(f"pulumi printed no state of stack {stack!r}") from None


def ids_of_outputs(outputs: Any) -> list[str]:
    """Return all texts of a stack's outputs except `access`, which are ids and names of its resources."""
    if isinstance(outputs, str):
        return [outputs]
    if not isinstance(outputs, Mapping | list):
        return []
    parts = outputs if isinstance(outputs, list) else [outputs[key] for key in outputs if key != "access"]
    return [each for part in parts for each in ids_of_outputs(part)]


def outputs_of_file(file: Path) -> Mapping[str, Any]:
    """Read outputs that `pulumi stack output --json` printed. Raise ReachError if that fails."""
    try:
        return _mapping(read_user_text(file), str(file))
    except OSError as error:
        raise ReachError(f"can't read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReachError(f"{file} is not a text in UTF-8") from None


def _mapping(text: str, what: str) -> Mapping[str, Any]:
    try:
        document = parse_json(text)
    except InvalidJsonError as error:
        raise ReachError(f"{what}: {error}") from None
    if not isinstance(document, dict):
        raise ReachError(f"{what} has no outputs: it is not a JSON object")
    return document


def _printed(stack: str, what: str, *verb: str) -> str:
    """Return what `pulumi stack` prints, whose questions and errors go to the terminal."""
    if missing := what_is_missing([PULUMI]):
        raise ReachError(missing)
    done = subprocess.run(["pulumi", "stack", *verb, f"--stack={stack}"], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise ReachError(f"pulumi could not read the {what} of stack {stack!r}; it says why above")
    return done.stdout.decode(errors="replace")
