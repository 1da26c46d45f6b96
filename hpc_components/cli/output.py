"""Writes to standard output, standard error, and files in existing folders."""

import errno
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

import click

from hpc_components.cli.command import Refused, show
from hpc_components.cli.terminal import USUAL_WIDTH, in_colour, terminal_width


def prepare_streams() -> None:
    """Write redirected output as UTF-8 on every system, and replace characters that a terminal can't show with `?`.

    A closed stream (`>&-`), which Python represents as None, is replaced so that reads yield nothing and writes are
    discarded.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def say(text: str) -> None:
    """Write a note to the user on standard error."""
    from hpc_components.spec.printable import printable

    click.echo(printable(text, keep="\n"), err=True)


def check_writable(out: Path | None) -> None:
    """Raise `Refused` if the file can't be written, before any work is done."""
    if out is None:
        return
    _check_folder(out)
    try:
        if out.is_file():
            out.open("ab").close()
        elif out.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not os.access(out.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _refused(out, error) from None


def write_text(out: Path, text: str) -> None:
    """Write a file with Unix line breaks into an existing folder. Raise `Refused` if this fails."""
    _check_folder(out)
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _refused(out, error) from None


def write_report(out: Path | None, text: Callable[[int], str], print_coloured: Callable[[], None] | None) -> None:
    """Write a report to the file `out`, or to standard output if `out` is None.

    `text` renders the report for a given width in columns: the terminal's width, or the default if there is no
    terminal. On a terminal with colours, `print_coloured` prints the report instead, if given.
    """
    if out is not None:
        write_text(out, text(USUAL_WIDTH))
        say(f"wrote {out}")
    elif print_coloured and in_colour(sys.stdout):
        print_coloured()
    else:
        show(text(terminal_width(sys.stdout) or USUAL_WIDTH), nl=False)


def make_folder(folder: Path) -> None:
    """Create the last folder of a path if it does not exist."""
    _check_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder} is not a folder; name another one with --out")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None


def _check_folder(out: Path) -> None:
    """Refuse a path whose folder does not exist, because the folder's name is probably misspelt."""
    if not out.parent.exists():
        raise Refused(f"{out} can't be written: there is no folder {out.parent}; make it with: mkdir -p {out.parent}")
    if not out.parent.is_dir():
        raise Refused(f"{out} can't be written: {out.parent} is not a folder; name another file with --out")


def _refused(out: Path, error: OSError) -> Refused:
    return Refused(f"{out} can't be written: {error.strerror}; name another place with --out")
