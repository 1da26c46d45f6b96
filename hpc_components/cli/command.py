"""What all commands share: how they fail, complete and write."""

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from hpc_components.spec.project import StackFile

__all__ = ["Command", "Group", "Refused", "complete_stack", "console", "in_colour", "stack_file", "write_utf8"]


class Refused(click.ClickException):
    """One sentence on stderr: what is wrong, where, and the way out."""

    exit_code = 2


class Command(click.Command):
    """A command whose expected errors are one sentence and exit code 2, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            from hpc_components.spec.source import UnreadableError  # not before: it costs the models

            if isinstance(error, UnreadableError):
                raise Refused(str(error)) from None
            raise


class Group(click.Group):
    """Commands in the order in which a newcomer needs them."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """As they were added, not by the alphabet."""
        return list(self.commands)


def complete_stack(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of this project's stacks, for the shell."""
    from hpc_components.spec.project import find_project
    from hpc_components.spec.source import UnreadableError

    try:
        return [stack for stack in find_project().stacks if stack.startswith(incomplete)]
    except UnreadableError:
        return []


def stack_file(name: str) -> "StackFile":
    """The file of a stack of this project, or a file that is named as one. UnreadableError if there is none."""
    from hpc_components.spec.project import find_project, open_stack_file

    if name.endswith((".yaml", ".yml")) or "/" in name:
        return open_stack_file(Path(name))
    return find_project().open(name)


def in_colour() -> bool:
    """Colour only on a terminal, and only if nobody asked for none (the NO_COLOR convention)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def console() -> "Console":
    """A terminal as wide as it is; wide text if this is none."""
    from rich.console import Console

    colours = "auto" if in_colour() else None
    return Console(color_system=colours, highlight=False, width=None if sys.stdout.isatty() else 140)


def write_utf8() -> None:
    """What is redirected is UTF-8, whatever the system's code page; a terminal shows `?` for what it lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
