import errno
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Refused, show
from hpc_components.cli.terminal import USUAL_WIDTH, in_colour, terminal_width

if TYPE_CHECKING:
    from rich.console import RenderableType


def prepare_streams() -> None:
    """Write redirected output as UTF-8 on every system, and show `?` for characters that a terminal can't display.

    Python represents a closed stream (`>&-`) as None. Replace closed streams, so that reads return nothing and writes
    are discarded.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def say(text: str) -> None:
    """Print `text` to standard error."""
    from hpc_components.spec.printable import printable

    click.echo(printable(text, keep="\n"), err=True)


def check_writable(out: Path | None) -> None:
    """Raise `Refused` if the file can't be written. Commands call this before they do any work."""
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
    """Write a text file with Unix line endings. Raise `Refused` if that fails or the folder does not exist."""
    _check_folder(out)
    try:
        out.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise _refused(out, error) from None


def write_report(out: Path | None, text: Callable[[int], str], print_coloured: Callable[[], None] | None) -> None:
    """Write a report to the file `out`, or to standard output if `out` is None.

    `text` renders the report for a given width in columns. On a terminal with colours, `print_coloured` is called
    instead, unless it is None.
    """
    if out is not None:
        write_text(out, text(USUAL_WIDTH))
        say(f"wrote {out}")
    elif print_coloured and in_colour(sys.stdout):
        print_coloured()
    else:
        show(text(terminal_width(sys.stdout) or USUAL_WIDTH), nl=False)


def show_report(report: "RenderableType", out: Path | None = None) -> None:
    """Write a report as text to the file `out`, or to standard output if `out` is None."""
    from hpc_components.report.text import plain_text, print_report

    write_report(out, lambda width: plain_text(report, width), lambda: print_report(report))


def show_json(document: dict[str, Any]) -> None:
    """Write a document to standard output."""
    from hpc_components.spec.printable import json_text

    show(json_text(document))


def on_terminal() -> bool:
    """Return whether someone watches, and may want to see progress."""
    return sys.stderr.isatty()


def say_progress(text: str) -> None:
    """Print `text` to standard error if that is a terminal."""
    if on_terminal():
        say(text)


def make_folder(folder: Path) -> None:
    """Create a folder unless it already exists. Its parent must exist."""
    _check_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder} is not a folder; specify a folder with --out")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None


def _check_folder(out: Path) -> None:
    """Reject a path whose parent folder does not exist, because it is probably misspelt."""
    if not out.parent.exists():
        raise Refused(
            f"can't write {out}: the folder {out.parent} does not exist; create it with: mkdir -p {out.parent}"
        )
    if not out.parent.is_dir():
        raise Refused(f"can't write {out}: {out.parent} is not a folder; choose another file with --out")


def _refused(out: Path, error: OSError) -> Refused:
    return Refused(f"can't write {out}: {error.strerror}; choose another location with --out")
