"""Handles errors, interruption and shell completion for all commands."""

import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hpc_components.cli.terminal import wrapped
from hpc_components.errors import HpcError

if TYPE_CHECKING:
    from hpc_components.spec.project import StackFile

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in a shell."""

STDIN = "-"

_NO_READER = 141
"""Exit code after SIGPIPE, as in a shell."""


class Refused(click.ClickException):
    """An error that is printed to standard error as a sentence: what is wrong, where, and how to fix it."""

    exit_code = 2

    def format_message(self) -> str:
        """Control characters are escaped, because the message may quote a file."""
        from hpc_components.spec.printable import printable

        return printable(self.message, keep="\n")

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message to standard error, wrapped at words on a terminal.

        If standard error can't be written to, the exit code is the only sign of the error.
        """
        text = f"Error: {self.format_message()}"
        try:
            click.echo(wrapped(text, sys.stderr), err=True)
        except OSError:
            _write_nowhere(2)


class Command(click.Command):
    """A command that reports an expected error as a sentence with exit code 2, never as a traceback."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **options: Any) -> click.Context:
        """Parse the arguments or print help. Refuse empty arguments, because an empty path would mean the current
        folder."""
        if not options.get("resilient_parsing") and any(arg == "" or re.match("--[a-z]+=$", arg) for arg in args):
            raise Refused("an argument is empty; remove it, or check for an unset shell variable")
        with _writing():
            return super().make_context(info_name, args, *rest, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and convert an expected error to `Refused`.

        If the output format is JSON or GitHub annotations, the output also reports unreadable files.
        """
        try:
            return super().invoke(ctx)
        except HpcError as error:
            _report_unreadable(ctx, error)
            raise Refused(str(error)) from None


def _report_unreadable(ctx: click.Context, error: HpcError) -> None:
    from hpc_components.spec.source import UnreadableError  # imported late because this module imports all models

    format_ = ctx.params.get("format_")
    if not isinstance(error, UnreadableError) or ctx.params.get("out") is not None:
        return
    if format_ == "json" or format_ == "github":
        from hpc_components.spec.report import report

        show(report([], format_, unreadable=[error]))


class Group(click.Group):
    """A group that lists its commands in the order in which a newcomer needs them."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _ends_well(), _writing():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _ends_well():
            return super().invoke(ctx)


@contextmanager
def _ends_well() -> Generator[None]:
    """Exit without a traceback after Ctrl-C, or if the reader closes the pipe, as in `hpc machines | head`."""
    try:
        yield
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _write_nowhere(1, 2)
        raise click.exceptions.Exit(_NO_READER) from None


@contextmanager
def _writing() -> Generator[None]:
    """Raise `Refused` if writing to standard output fails, for example because the disk is full."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        _write_nowhere(1)
        raise Refused(f"can't write to standard output: {error.strerror}") from None


def show(text: str, *, nl: bool = True) -> None:
    """Write a command's result to standard output."""
    with _writing():
        click.echo(text, nl=nl)


def _write_nowhere(*descriptors: int) -> None:
    """Redirect file descriptors to /dev/null, because flushing them at exit would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for each in descriptors:
        os.dup2(nowhere, each)


def complete_stack(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from hpc_components.spec.project import find_project
    from hpc_components.spec.source import UnreadableError

    try:
        stacks = [CompletionItem(stack) for stack in find_project().stacks if stack.startswith(incomplete)]
    except UnreadableError:
        stacks = []
    return stacks or [CompletionItem(incomplete, type="file")]


def stack_file(name: str) -> "StackFile":
    """Return a stack file, given the name of a stack in this project, a path, or `-` for standard input.

    Raise UnreadableError if the file can't be read.
    """
    from hpc_components.catalog.project_folder import files_of
    from hpc_components.spec.project import find_project, open_stack_file, read_stack_file

    if name == STDIN:
        return read_stack_file(sys.stdin.buffer)
    file = open_stack_file(Path(name)) if is_file(name) else find_project().open(name)
    click.get_current_context().with_resource(files_of(file.path.parent))
    return file


def is_file(name: str) -> bool:
    """Return whether `name` is a path rather than a stack name."""
    return name.endswith((".yaml", ".yml")) or "/" in name
