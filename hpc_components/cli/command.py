"""What all commands share: how they fail, complete and write."""

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from hpc_components.spec.project import StackFile

__all__ = [
    "Command",
    "Group",
    "Refused",
    "complete_stack",
    "in_colour",
    "is_file",
    "stack_file",
    "terminal_width",
    "write_utf8",
]

_NO_READER = 141
"""What a shell makes of SIGPIPE."""


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

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the arguments; here the group's own help is written."""
        with _ends_without_reader():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _ends_without_reader():
            return super().invoke(ctx)


@contextmanager
def _ends_without_reader() -> Generator[None]:
    """Once nobody reads what is written (`hpc machines | head`), end without a word; click would call it an error."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)  # for what is still to be flushed
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        raise click.exceptions.Exit(_NO_READER) from None


def complete_stack(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For the shell: names of this project's stacks, or files if none of those is meant."""
    from hpc_components.spec.project import find_project
    from hpc_components.spec.source import UnreadableError

    try:
        stacks = [CompletionItem(stack) for stack in find_project().stacks if stack.startswith(incomplete)]
    except UnreadableError:
        stacks = []
    return stacks or [CompletionItem(incomplete, type="file")]


def stack_file(name: str) -> "StackFile":
    """The file of a stack of this project, or a file that is named as one. UnreadableError if there is none."""
    from hpc_components.spec.project import find_project, open_stack_file

    return open_stack_file(Path(name)) if is_file(name) else find_project().open(name)


def is_file(name: str) -> bool:
    """Whether the user means a file, not a stack of this project."""
    return name.endswith((".yaml", ".yml")) or "/" in name


def in_colour() -> bool:
    """Colour only on a terminal, and only if nobody asked for none (the NO_COLOR convention)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def terminal_width() -> int | None:
    """Columns of the terminal; None if standard output is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def write_utf8() -> None:
    """What is redirected is UTF-8, whatever the system's code page; a terminal shows `?` for what it lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
