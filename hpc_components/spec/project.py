"""Finds what a stack's name means: the project around the current directory, its stack files, the cluster in one."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

from hpc_components.spec.files import read_regular, read_stream
from hpc_components.spec.source import Document, UnreadableError, position_after, read_yaml

__all__ = ["CLUSTER_KEY", "Project", "StackFile", "find_project", "open_stack_file", "read_stack_file"]

CLUSTER_KEY = "hpc:cluster"
"""Where a stack file describes its cluster, under `config`."""


@dataclass(frozen=True)
class StackFile:
    """One `Pulumi.<stack>.yaml`."""

    path: Path
    document: Document

    @property
    def stack(self) -> str:
        """The stack's name."""
        return self.path.name.removeprefix("Pulumi.").removesuffix(".yaml")

    @property
    def config(self) -> dict[str, object]:
        """All config values by key."""
        config = self.document.data.get("config") if isinstance(self.document.data, dict) else None
        return config if isinstance(config, dict) else {}

    @property
    def cluster(self) -> Document:
        """The description of the cluster. UnreadableError if there is none."""
        try:
            return self.document.below("config", CLUSTER_KEY)
        except (KeyError, TypeError):
            raise UnreadableError(
                f"{self.document.file} describes no cluster: it has no {CLUSTER_KEY} under config; "
                "`hpc schema` prints what goes there",
                self.document.file,
            ) from None


@dataclass(frozen=True)
class Project:
    """A directory with a `Pulumi.yaml`."""

    root: Path
    name: str
    main: Path
    """Directory (or file) of the program."""
    stack_dir: Path
    """Directory of the stack files."""

    @property
    def stacks(self) -> tuple[str, ...]:
        """Names of all stacks that have a file."""
        names = (
            file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in self.stack_dir.glob("Pulumi.*.yaml")
        )
        return tuple(sorted(names))

    def open(self, stack: str) -> StackFile:
        """The file of `stack`. UnreadableError lists what there is if there is none."""
        path = self.stack_dir / f"Pulumi.{stack}.yaml"
        if not os.path.lexists(path):
            raise UnreadableError(
                f"there is no stack {stack!r} in {shown(self.stack_dir)}; {_hint(stack, self.stacks)}"
            )
        return open_stack_file(path)


def find_project(start: Path | None = None) -> Project:
    """The project around `start` (default: the current directory). UnreadableError if there is none."""
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        raise UnreadableError("the current directory is not there any more; go to one that is") from None
    for root in (here, *here.parents):
        file = root / "Pulumi.yaml"
        if os.path.lexists(file):
            data = _read(file).data
            if not isinstance(data, dict):
                what = f"{shown(file)} is not a Pulumi project; it needs name and runtime"
                raise UnreadableError(what, shown(file))
            return Project(
                root=root,
                name=str(data.get("name") or root.name),
                main=root / str(data.get("main") or "."),
                stack_dir=root / str(data.get("stackConfigDir") or "."),
            )
    remedy = "run this inside a project, or name a stack file of one"
    raise UnreadableError(f"no Pulumi.yaml in {here} or above; {remedy}")


def open_stack_file(path: Path) -> StackFile:
    """Read a stack file. UnreadableError names the place of what is wrong."""
    return StackFile(path, _read(path))


def read_stack_file(stream: BinaryIO) -> StackFile:
    """Read the file of a stack called `stdin` from standard input. UnreadableError names what is wrong."""
    try:
        content = read_stream(stream)
    except OSError as error:
        raise UnreadableError(f"standard input can't be read: {error.strerror}; give it one stack file") from None
    return StackFile(Path("Pulumi.stdin.yaml"), _parsed(content, "<stdin>"))


def _read(path: Path) -> Document:
    try:
        content = read_regular(path)
    except OSError as error:
        what = f"{shown(path)} can't be read: {error.strerror}; name a stack or its file"
        raise UnreadableError(what, shown(path)) from None
    return _parsed(content, shown(path))


def _parsed(content: bytes, file: str) -> Document:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = position_after(error.object[: error.start].decode("utf-8"))
        raise UnreadableError("this is not UTF-8 text; save it as UTF-8", file, where) from None
    return read_yaml(text, file)


def shown(path: Path) -> str:
    """`path` as a person would write it: relative to the current directory if it is below."""
    try:
        return str(Path(os.path.realpath(path)).relative_to(Path.cwd()))  # links may go in a circle
    except (ValueError, FileNotFoundError):  # the current directory may be gone
        return str(path)


def _hint(word: str, known: Iterable[str]) -> str:
    known = list(known)
    near = get_close_matches(word, known, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"stacks are {', '.join(known)}" if known else "it has no stack files yet"
