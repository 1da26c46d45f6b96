"""Finds the project around the current directory, its stack files and the cluster in each."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from hpc_components.spec.source import Document, UnreadableError, position_after, read_yaml
from hpc_components.user_files import read_regular, read_stream
from hpc_components.wording import did_you_mean

__all__ = [
    "CLUSTER_KEY", "PROGRAM", "STREAM", "NoProjectError", "Project", "StackFile", "displayed", "find_project",
    "open_stack_file", "project_of", "read_stack_file", "stream_text", "text_of",
]  # fmt: skip

CLUSTER_KEY = "hpc:cluster"
"""Where a stack file describes its cluster, under `config`."""

PROGRAM = Path(__file__).parent.parent / "program"
"""The program that creates the described cluster, for stacks without a program of their own."""

STREAM = "<stdin>"
"""What messages call standard input."""

LONE_PROJECT = "hpc"
"""Name of the project of a stack file that stands alone."""


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
    runtime: str = "python"
    """The program's language."""

    def program(self, file: "StackFile") -> Path:
        """The program of a stack: the project's own, or `PROGRAM` if it has none and the file describes a cluster."""
        may_be_ours = self.runtime == "python" and CLUSTER_KEY in file.config
        return PROGRAM if may_be_ours and not self.has_program else self.main

    @property
    def has_program(self) -> bool:
        """Whether there is a program in Python."""
        return self.main.is_file() or (self.main / "__main__.py").is_file()

    @property
    def stacks(self) -> tuple[str, ...]:
        """Names of all stacks that have a file."""
        names = (
            file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in self.stack_dir.glob("Pulumi.*.yaml")
        )
        return tuple(sorted(names))

    def open(self, stack: str) -> StackFile:
        """The file of `stack`. UnreadableError lists the stacks if there is no such one."""
        path = self.stack_dir / f"Pulumi.{stack}.yaml"
        if not os.path.lexists(path):
            raise UnreadableError(
                f"there is no stack {stack!r} in {displayed(self.stack_dir)}; {_hint(stack, self.stacks)}"
            )
        return open_stack_file(path)


class NoProjectError(UnreadableError):
    """There is no project."""


def find_project(start: Path | None = None) -> Project:
    """The project around `start` (default: the current directory). UnreadableError if there is none."""
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        raise UnreadableError("the current directory is not there any more; go to one that is") from None
    for root in (here, *here.parents):
        file = root / "Pulumi.yaml"
        if os.path.lexists(file):
            data = _parsed(text_of(file), displayed(file), "a Pulumi project needs name and runtime").data
            if not isinstance(data, dict):
                what = f"{displayed(file)} is not a Pulumi project; it needs name and runtime"
                raise UnreadableError(what, displayed(file))
            runtime = data.get("runtime")
            return Project(
                root=root,
                name=str(data.get("name") or root.name),
                main=root / str(data.get("main") or "."),
                runtime=str(runtime.get("name") if isinstance(runtime, dict) else runtime),
                stack_dir=root / str(data.get("stackConfigDir") or "."),
            )
    remedy = "name a stack file (Pulumi.<stack>.yaml), run this inside a project, or make one with `hpc init`"
    raise NoProjectError(f"no Pulumi.yaml in {here} or above; {remedy}")


def project_of(file: Path) -> Project:
    """The project around a stack file. If there is none, the file stands alone, and is made by `PROGRAM`."""
    folder = file.resolve().parent
    try:
        return find_project(folder)
    except NoProjectError:
        return Project(root=folder, name=LONE_PROJECT, main=PROGRAM, stack_dir=folder)


def open_stack_file(path: Path) -> StackFile:
    """Read a stack file. UnreadableError names the place of what is wrong."""
    return StackFile(path, _read(path))


def read_stack_file(stream: BinaryIO) -> StackFile:
    """Read the file of a stack called `stdin` from standard input. UnreadableError names what is wrong."""
    return StackFile(Path("Pulumi.stdin.yaml"), _parsed(stream_text(stream), STREAM))


def text_of(path: Path, what: str = "a stack or its file") -> str:
    """The text of a file. UnreadableError if it can't be read, or is none; it says to name `what` instead."""
    file = displayed(path)
    try:
        content = read_regular(path)
    except OSError as error:
        raise UnreadableError(f"{file} can't be read: {error.strerror}; name {what}", file) from None
    return _decoded(content, file)


def stream_text(stream: BinaryIO) -> str:
    """The text of standard input. UnreadableError if it can't be read, or is none."""
    try:
        content = read_stream(stream)
    except OSError as error:
        raise UnreadableError(f"standard input can't be read: {error.strerror}; give it one stack file") from None
    return _decoded(content, STREAM)


def _decoded(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = position_after(error.object[: error.start].decode("utf-8"))
        raise UnreadableError("this is not UTF-8 text; save it as UTF-8", file, where) from None


def _read(path: Path) -> Document:
    return _parsed(text_of(path), displayed(path))


@lru_cache(maxsize=64)  # each stack is a neighbour of the others, and each is in the same project
def _parsed(text: str, file: str, *wanted: str) -> Document:
    return read_yaml(text, file, *wanted)


def displayed(path: Path) -> str:
    """`path` as messages show it: relative to the current directory if it is below."""
    try:
        return str(Path(os.path.realpath(path)).relative_to(Path.cwd()))  # links may go in a circle
    except (ValueError, FileNotFoundError):  # the current directory may be gone
        return str(path)


def _hint(word: str, known: Iterable[str]) -> str:
    known = list(known)
    return did_you_mean(word, known, f"stacks are {', '.join(known)}" if known else "it has no stack files yet")
