"""Reads a stack's outputs: by the `pulumi` program, or from a file with what it printed."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpc_components.operate.reach import missing_programs
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
    if missing_programs([PULUMI]):
        raise ReachError(f"{PULUMI.name} is not on PATH; it {PULUMI.remedy}")
    done = subprocess.run(
        ["pulumi", "stack", "output", "--json", f"--stack={stack}"], stdout=subprocess.PIPE, check=False
    )
    if done.returncode:
        raise ReachError(f"pulumi could not read the outputs of stack {stack!r}; it says why above")
    return _mapping(done.stdout.decode(errors="replace"), "pulumi's answer")


def updates_of_stack(stack: str) -> list[Mapping[str, Any]]:
    """Ask `pulumi` for the updates of a stack of the project in the current folder, the newest first.

    Raise ReachError if it is missing or fails.
    """
    if missing_programs([PULUMI]):
        raise ReachError(f"{PULUMI.name} is not on PATH; it {PULUMI.remedy}")
    command = ["pulumi", "stack", "history", "--json", f"--stack={stack}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    try:
        updates = parse_json(done.stdout.decode(errors="replace"))
    except InvalidJsonError:
        updates = None
    if done.returncode or not isinstance(updates, list):
        raise ReachError(f"pulumi could not read the history of stack {stack!r}; it says why above")
    return [each for each in updates if isinstance(each, Mapping) and "startTime" in each]


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
