import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO

from hpc_components.spec.easyconfig_files import with_easyconfigs
from hpc_components.spec.people_files import with_people_files
from hpc_components.spec.script_files import with_script_files
from hpc_components.spec.source import Document, UnreadableError, position_after, read_yaml
from hpc_components.user_files import read_regular, read_stream
from hpc_components.wording import did_you_mean

CLUSTER_KEY = "hpc:cluster"
"""Key under `config` for the cluster's description."""

FORECAST_KEY = "hpc:forecast"
"""Key under `config` for the file of jobs that forecasts use: `hpc:forecast: {jobs: jobs.txt}`."""

PROGRAM = Path(__file__).parent.parent / "program"
"""Directory of the program that creates a described cluster, for projects that have no program."""

STREAM = "<stdin>"

LONE_PROJECT = "hpc"
"""Project name for stack files outside any project."""


@dataclass(frozen=True)
class StackFile:
    """A `Pulumi.<stack>.yaml` file."""

    path: Path
    document: Document

    @property
    def stack(self) -> str:
        return self.path.name.removeprefix("Pulumi.").removesuffix(".yaml")

    @property
    def config(self) -> dict[str, object]:
        config = self.document.data.get("config") if isinstance(self.document.data, dict) else None
        return config if isinstance(config, dict) else {}

    @property
    def cluster(self) -> Document:
        """The cluster's description, with the contents of the files that it names. Raises UnreadableError if the file
        has no description, or if a file that it names is invalid.
        """
        try:
            own = self.document.below("config", CLUSTER_KEY)
        except (KeyError, TypeError):
            raise UnreadableError(
                f"{self.document.file} describes no cluster: there is no {CLUSTER_KEY} under config; run `hpc "
                "schema` to see what goes there",
                self.document.file,
            ) from None
        return with_named_files(own, lambda: project_of(self.path).root)


@dataclass(frozen=True)
class Project:
    """A directory with a `Pulumi.yaml`."""

    root: Path
    name: str
    main: Path
    """Directory or file of the program."""
    stack_dir: Path
    runtime: str = "python"

    def program(self, file: "StackFile") -> Path:
        """Return a stack's program: the project's own, or `PROGRAM` if the project has none and the stack describes a
        cluster.
        """
        may_be_ours = self.runtime == "python" and CLUSTER_KEY in file.config
        return PROGRAM if may_be_ours and not self.has_program else self.main

    @property
    def has_program(self) -> bool:
        return self.main.is_file() or (self.main / "__main__.py").is_file()

    @property
    def stacks(self) -> tuple[str, ...]:
        names = (
            file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in self.stack_dir.glob("Pulumi.*.yaml")
        )
        return tuple(sorted(names))

    def open(self, stack: str) -> StackFile:
        """Read the file of `stack`. If it doesn't exist, raise UnreadableError with a hint about existing stacks."""
        path = self.stack_dir / f"Pulumi.{stack}.yaml"
        if not os.path.lexists(path):
            raise UnreadableError(
                f"there is no stack {stack!r} in {displayed(self.stack_dir)}; {_hint(stack, self.stacks)}"
            )
        return open_stack_file(path)


class NoProjectError(UnreadableError):
    """Raised if neither a directory nor any of its parents contains a `Pulumi.yaml`."""


def find_project(start: Path | None = None) -> Project:
    """Return the project that contains `start` (default: the current directory). Raise NoProjectError if none
    does.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except FileNotFoundError:
        raise UnreadableError("the current directory has been deleted; change to one that exists") from None
    for root in (here, *here.parents):
        file = root / "Pulumi.yaml"
        if os.path.lexists(file):
            data = _parsed(
                text_of(file), displayed(file), "a Pulumi project file needs the keys name and runtime"
            ).data
            if not isinstance(data, dict):
                what = (
                    f"{displayed(file)} is not a Pulumi project file; write a mapping with the keys name and runtime"
                )
                raise UnreadableError(what, displayed(file))
            runtime = data.get("runtime")
            return Project(
                root=root,
                name=str(data.get("name") or root.name),
                main=root / str(data.get("main") or "."),
                runtime=str(runtime.get("name") if isinstance(runtime, dict) else runtime),
                stack_dir=root / str(data.get("stackConfigDir") or "."),
            )
    remedy = (
        "specify a stack file (Pulumi.<stack>.yaml), run this command inside a project, or create a project with "
        "`hpc init`"
    )
    raise NoProjectError(f"there is no Pulumi.yaml in {here} or any parent directory; {remedy}")


def project_of(file: Path) -> Project:
    """Return the project that contains a stack file or, if no project does, a project that uses `PROGRAM`."""
    folder = file.resolve().parent
    try:
        return find_project(folder)
    except NoProjectError:
        return Project(root=folder, name=LONE_PROJECT, main=PROGRAM, stack_dir=folder)


def with_named_files(document: Document, root: Callable[[], Path]) -> Document:
    """Return a description with the contents of the files that it names: people, scripts and easyconfigs.

    `root` returns the directory to which the names are relative. Raise UnreadableError if a file can't be read, or if
    a file of people is invalid.
    """

    def read(what: str, file: str) -> tuple[str, str]:
        path = root() / file
        return text_of(path, f"{what} relative to the directory that contains Pulumi.yaml"), displayed(path)

    document = with_people_files(document, partial(read, "files of people"))
    document = with_script_files(document, partial(read, "files of scripts"))
    return with_easyconfigs(document, lambda folder: easyconfig_files(root() / folder))


def easyconfig_files(folder: Path) -> dict[str, str]:
    """Return the texts of a folder's files, keyed by name. Raise UnreadableError if one can't be read."""
    what = "the folder under easyconfigs relative to the directory that contains Pulumi.yaml"
    try:
        found = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError as error:
        shown = displayed(folder)
        raise UnreadableError(f"can't read {shown}: {error.strerror}; specify {what}", shown) from None
    return {each.name: text_of(each, what) for each in found}


def open_stack_file(path: Path) -> StackFile:
    """Read a stack file. Raise UnreadableError, with the position of the error, if the file is invalid."""
    return StackFile(path, _read(path))


def read_stack_file(stream: BinaryIO) -> StackFile:
    """Read a stack file from `stream` (standard input) as the stack `stdin`. Raise UnreadableError if the file is
    invalid.
    """
    return StackFile(Path("Pulumi.stdin.yaml"), _parsed(stream_text(stream), STREAM))


def text_of(path: Path, what: str = "a stack or its file") -> str:
    """Return a file's text. If the file can't be read, raise UnreadableError with the advice to specify `what`."""
    file = displayed(path)
    try:
        content = read_regular(path)
    except OSError as error:
        raise UnreadableError(f"can't read {file}: {error.strerror}; specify {what}", file) from None
    return _decoded(content, file)


def stream_text(stream: BinaryIO) -> str:
    """Return the text of standard input. Raise UnreadableError if it can't be read or decoded."""
    try:
        content = read_stream(stream)
    except OSError as error:
        raise UnreadableError(
            f"can't read standard input: {error.strerror}; redirect a single stack file to it"
        ) from None
    return _decoded(content, STREAM)


def _decoded(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = position_after(error.object[: error.start].decode("utf-8"))
        raise UnreadableError("the file is not UTF-8 text; save it as UTF-8", file, where) from None


def _read(path: Path) -> Document:
    return _parsed(text_of(path), displayed(path))


@lru_cache(maxsize=64)  # files are parsed repeatedly: stacks are compared with each other and share a Pulumi.yaml
def _parsed(text: str, file: str, *wanted: str) -> Document:
    return read_yaml(text, file, *wanted)


def displayed(path: Path) -> str:
    """Return `path` as shown in messages: relative to the current directory if `path` is inside that directory."""
    try:
        return str(Path(os.path.realpath(path)).relative_to(Path.cwd()))  # Path.resolve fails on circular links
    # `path` is outside the current directory, or that directory has been deleted
    except (ValueError, FileNotFoundError):
        return str(path)


def _hint(word: str, known: Iterable[str]) -> str:
    known = list(known)
    return did_you_mean(
        word, known, f"stacks are {', '.join(known)}" if known else "the directory has no stack files yet"
    )
