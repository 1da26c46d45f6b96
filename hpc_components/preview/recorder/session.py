import asyncio
import contextvars
import gc
import json
import os
import threading
import warnings
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, get_origin

import pulumi
from pulumi.runtime import config as pulumi_config
from pulumi.runtime import resource as pulumi_resource
from pulumi.runtime import rpc as pulumi_rpc
from pulumi.runtime import settings as pulumi_settings

from hpc_components.preview.recorder.monitor import InvokeAnswer, RecordingEngine, RecordingMonitor
from hpc_components.preview.recorder.program import Program
from hpc_components.preview.recorder.replaced import replaced
from hpc_components.preview.recorder.sdk_types import alternatives
from hpc_components.preview.recorder.shortcuts import shortcuts
from hpc_components.preview.recording import Recording


class Session:
    """A single run of a program. See `record` for the arguments."""

    def __init__(
        self,
        program: Callable[[], object] | Path,
        *,
        project: str,
        stack: str,
        preview: bool,
        organization: str,
        invokes: Mapping[str, InvokeAnswer],
        root: Path | None,
    ) -> None:
        self._program = Program(program)
        self._project = project
        self._engine = RecordingEngine()
        self._monitor = RecordingMonitor(
            project=project,
            stack=stack,
            preview=preview,
            root=self._program.root,
            invokes=invokes,
            place_of=self._program.place_of,
        )
        self._settings: dict[str, Any] = {
            "project": project,
            "stack": stack,
            "dry_run": preview,
            "organization": organization,
            "root_directory": str(root or self._program.root),
        }

    def run(self, config: Mapping[str, Any], secret_config: Collection[str]) -> Recording:
        """Run the program in a new thread with a separate event loop, because an event loop may already be running in
        the caller's thread.
        """
        values = {self._key(key): _as_text(value) for key, value in config.items()}
        hidden = {self._key(key) for key in secret_config}
        context = contextvars.copy_context()
        done: Future[Recording] = Future()

        def run() -> None:
            try:
                done.set_result(context.run(self._run, values, hidden))
            except BaseException as error:  # re-raised by done.result()
                done.set_exception(error)

        # A daemon thread, so that Ctrl-C works even if the program never ends.
        threading.Thread(target=run, name="record", daemon=True).start()
        return done.result()

    def _run(self, config: dict[str, str], hidden: set[str]) -> Recording:
        with (
            _no_collection(),
            _settings_put_back(),
            _strict_outputs(),
            _encrypted(hidden),
            replaced(pulumi_resource, "_get_stack_trace", self._program.stack_trace),
            replaced(pulumi_rpc, "translate_output_properties", _translated),
            shortcuts(),
            self._program.environment(),
        ):
            pulumi_settings.reset_options()
            pulumi_settings.configure(
                pulumi.runtime.Settings(monitor=self._monitor, engine=self._engine, **self._settings)
            )
            pulumi_config.set_all_config(config, sorted(hidden))
            failure = _run_to_end(pulumi.runtime.run_in_stack(self._settled))
            if failure is not None and not (isinstance(failure, SystemExit) and not failure.code):
                raise self._program.error(failure) from failure
        return self._monitor.recording(self._engine)

    async def _settled(self) -> None:
        """Run the program, then wait for all pending values together.

        The SDK would await the values one by one, and check all remaining ones each time.
        """
        coroutine = self._program()
        if coroutine is not None:
            await coroutine
        while pending := list(pulumi_settings.SETTINGS.outputs):
            await asyncio.gather(*pending)

    def _key(self, key: str) -> str:
        return key if ":" in key else f"{self._project}:{key}"


def _run_to_end(program: Coroutine[Any, Any, object]) -> Exception | SystemExit | None:
    """Run the program in a new event loop. Return the error it raises, or None if it succeeds.

    `asyncio.run` would be slower, because it searches every task in the process for unfinished ones. Only a failed
    program leaves any unfinished tasks behind.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_InlineExecutor())
    # A failed program leaves futures that are never awaited, and asyncio would log each of them.
    loop.set_exception_handler(lambda _loop, _context: None)
    try:
        loop.run_until_complete(program)
    except (Exception, SystemExit) as error:
        unfinished = asyncio.all_tasks(loop)
        for task in unfinished:
            task.cancel()
        if unfinished:
            loop.run_until_complete(asyncio.wait(unfinished))
        return error
    finally:
        loop.close()
    return None


class _InlineExecutor(ThreadPoolExecutor):
    """Calls functions immediately instead of in a thread. No thread is needed, because the monitor runs in the same
    process and never blocks.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # re-raised where the future is awaited
            future.set_exception(error)
        return future


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


@contextmanager
def _no_collection() -> Generator[None]:
    """Disable the garbage collector within the block. It would spend half of the run time scanning the SDK's modules,
    without freeing anything.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _settings_put_back() -> Generator[None]:
    """Restore the SDK's settings after the block.

    The settings are context variables. Each one is set to None first, because the SDK changes a setting's default
    only while the setting is None.
    """
    names = [name for name, value in vars(pulumi.runtime.Settings).items() if hasattr(value, "fset")]
    before = {name: getattr(pulumi_settings.SETTINGS, name) for name in names}
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(pulumi_settings.SETTINGS, name, None)
            setattr(pulumi_settings.SETTINGS, name, value)


_translate = pulumi_rpc.translate_output_properties


def _translated(output: Any, transformer: Callable[[str], str], hint: Any = None, *more: Any, **named: Any) -> Any:
    """Convert a resource's outputs to the types declared in the SDK's classes.

    Some providers take a list of names as input and return a mapping keyed by name. The recorder returns inputs
    unchanged, so the mapping is created here.
    """
    if isinstance(output, list) and any(get_origin(each) is Mapping for each in alternatives(hint)):
        output = {each: {} for each in output if isinstance(each, str)}
    return _translate(output, transformer, hint, *more, **named)


@contextmanager
def _strict_outputs() -> Generator[None]:
    """Make f"{output}" an error, because otherwise the SDK's help text would end up in a resource.

    Deprecation warnings from inside SDKs are hidden.
    """
    name = "PULUMI_ERROR_OUTPUT_STRING"
    before = os.environ.get(name)
    os.environ[name] = "true"
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"pulumi_\w+\.")
            yield
    finally:
        del os.environ[name]
        os.environ.update({name: before} if before is not None else {})


@contextmanager
def _encrypted(keys: set[str]) -> Generator[None]:
    """Replace encrypted configuration values with unknown secrets, regardless of the type requested by the
    program.
    """

    def hiding(read: Callable[..., Any]) -> Callable[..., Any]:
        def get(self: pulumi.Config, key: str, *args: Any, **kwargs: Any) -> Any:
            return _unknown_secret() if self.full_key(key) in keys else read(self, key, *args, **kwargs)

        return get

    with ExitStack() as patches:
        for name in ("_get", "_get_bool", "_get_int", "_get_float", "_get_object"):
            patches.enter_context(replaced(pulumi.Config, name, hiding(getattr(pulumi.Config, name))))
        yield


def _unknown_secret() -> pulumi.Output[Any]:
    def resolved(value: object) -> "asyncio.Future[Any]":
        future: asyncio.Future[Any] = asyncio.Future()
        future.set_result(value)
        return future

    return pulumi.Output(set(), resolved(None), resolved(False), resolved(True))
