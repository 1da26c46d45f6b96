"""Runs a Pulumi program the way the language host does, and makes errors point to the user's own code."""

import inspect
import os
import runpy
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

from pulumi.runtime.proto import source_pb2

from hpc_components.preview.recording import ProgramError


def _beginning_of(directory: Path) -> str:
    """Return the path prefix shared by all files under `directory`."""
    return os.path.normcase(directory.absolute() / "_")[:-1]


_PACKAGE_PREFIX = _beginning_of(Path(__file__).parents[2])


class Program:
    """A Pulumi program, specified as a function, a directory, or a directory's `__main__.py`."""

    def __init__(self, program: Callable[[], object] | Path) -> None:
        self._function = None if isinstance(program, Path) else program
        if isinstance(program, Path):
            self._file = _main_file(program.absolute())
        else:
            code = getattr(inspect.unwrap(program), "__code__", None)
            self._file = Path(code.co_filename if code else "").absolute()
        self._failed_at: str | None = None
        self._uris: dict[str, str | None] = {}
        self.directory = self._file.parent
        self._beginning = _beginning_of(self.directory)
        self.root = _project_around(self.directory) or (Path.cwd() if self._function else self.directory)

    def __call__(self) -> Any:
        """Run the program. If it is asynchronous, return a coroutine for the caller to await."""
        try:
            if self._function is not None:
                result = self._function()
                return result if inspect.iscoroutine(result) else None
            is_directory = self._file.name == "__main__.py"
            runpy.run_path(str(self.directory if is_directory else self._file), run_name="__main__")
        except BaseException as error:
            self._failed_at = self._place_of_traceback(error)  # before the SDK shortens the traceback
            raise

    @contextmanager
    def environment(self) -> Generator[None]:
        """Prepare the working directory, search path and modules for the program, and restore them afterwards."""
        if self._function is not None:
            yield
            return
        directory, path, argv = Path.cwd(), list(sys.path), list(sys.argv)
        before = self._own_modules()
        try:
            os.chdir(self.directory)
            yield
        finally:
            os.chdir(directory)
            sys.path[:], sys.argv[:] = path, argv
            self._own_modules()
            sys.modules.update(before)

    def error(self, error: BaseException) -> ProgramError:
        """Convert an error to a ProgramError that points to the offending line in the user's code."""
        place = self._place_of_traceback(error) or self._failed_at
        if isinstance(error, ProgramError):
            return ProgramError(error.message, error.place or place)
        text = str(error).strip() or "(no message)"
        if isinstance(error, RuntimeError) and "attached to a different loop" in text:
            return ProgramError(
                "an Output was created before the program started; create all Outputs inside the program", place
            )
        kind = type(error).__name__
        message = text if kind in ("RunError", "Exception") else f"{kind}: {text}"
        return ProgramError(message, place)

    def stack_trace(self) -> source_pb2.StackTrace:
        """Return the stack frames in the user's own code, innermost first.

        This replaces the SDK's function, which takes up a tenth of the run time because it reads each frame's source
        line.
        """
        frames = []
        frame = inspect.currentframe()
        while frame is not None:
            uri = self._users_uri(frame.f_code.co_filename)
            if uri is not None:
                position = source_pb2.SourcePosition(uri=uri, line=frame.f_lineno)
                frames.append(source_pb2.StackFrame(pc=position))
            frame = frame.f_back
        return source_pb2.StackTrace(frames=frames)

    def _users_uri(self, file: str) -> str | None:
        """Return the URI of a file in the user's code, or None for any other file.

        Results are cached, because this method is called for every frame of every resource.
        """
        if file not in self._uris:
            self._uris[file] = Path(file).absolute().as_uri() if self._is_users(Path(file)) else None
        return self._uris[file]

    def place_of(self, trace: Any) -> str | None:
        """Return the innermost place in the user's code that an SDK stack trace (`pulumirpc.StackTrace`) contains, or
        None if the trace contains no user code.
        """
        for frame in trace.frames:
            path = Path(url2pathname(urlparse(frame.pc.uri).path))
            if self._is_users(path):
                return self._place(path, frame.pc.line)
        return None

    def _place_of_traceback(self, error: BaseException) -> str | None:
        if isinstance(error, SyntaxError) and error.filename and self._is_users(Path(error.filename)):
            return self._place(Path(error.filename), error.lineno or 1)
        found = [(file, line) for each in _chain(error) for file, line in _lines(each.__traceback__)]
        users = [self._place(Path(file), line) for file, line in found if self._is_users(Path(file))]
        return users[0] if users else None

    def _is_users(self, path: Path) -> bool:
        """Return whether a file belongs to the user's program rather than to an installed package or to
        `hpc_components`.

        Generated code, such as a dataclass's `__init__`, never belongs to the program. It has no file, only a name
        such as `<string>`.
        """
        return not path.name.startswith("<") and self._is_below(str(path.absolute()))

    def _is_below(self, file: str) -> bool:
        """Return whether an existing file belongs to the user's program.

        This is a faster variant of `_is_users`, because thousands of modules have to be checked.
        """
        file = os.path.normcase(file)
        if not file.startswith(self._beginning) or f"{os.sep}site-packages{os.sep}" in file:
            return False
        return self._beginning.startswith(_PACKAGE_PREFIX) or not file.startswith(_PACKAGE_PREFIX)

    def _place(self, path: Path, line: int) -> str:
        path = path.absolute()
        shown = path.relative_to(self.root) if path.is_relative_to(self.root) else path.relative_to(self.directory)
        return f"{shown.as_posix()}:{line}"

    def _own_modules(self) -> dict[str, Any]:
        """Remove the program's own modules from `sys.modules`, so that they are imported again, and return the
        removed ones.
        """
        own = {
            name: module
            for name, module in list(sys.modules.items())
            if name != "__main__"
            and (file := getattr(module, "__file__", None))
            and self._is_below(file if os.path.isabs(file) else os.path.abspath(file))
        }
        for name in own:
            del sys.modules[name]
        return own


def _project_around(directory: Path) -> Path | None:
    return next((each for each in (directory, *directory.parents) if (each / "Pulumi.yaml").is_file()), None)


def _main_file(path: Path) -> Path:
    main = path / "__main__.py" if path.is_dir() else path
    if not main.is_file():
        raise ProgramError(f"{main.name} not found in {path if path.is_dir() else path.parent}")
    return main


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and its causes, each only once, because the SDK may chain errors in a cycle."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _lines(traceback: TracebackType | None) -> Iterator[tuple[str, int]]:
    """Yield (file, line) for every frame, innermost first."""
    frames = []
    while traceback is not None:
        frames.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    yield from reversed(frames)
