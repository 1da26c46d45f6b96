"""What all tests share, and how xdist shares them out among its workers (CONTRIBUTING.md, "Lanes").

Tests with real daemons, boots and engines wait far more than they compute. So there are more workers than cores: as
many as there are cores begin with the other tests, the rest with these, and who is done helps out.
"""

import asyncio
import atexit
import gc
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests import shared
from tests.processes import Start, started

CORES = len(os.sched_getaffinity(0))

MEMORY = 3 * 2**30
"""Bytes that a worker needs at most, with all that its tests start."""

WAITING = ("boot", "engine", "slurm")
"""Marks of tests that mostly wait."""

NICE = 10
"""Niceness of the other tests: daemons that have to wait for the processor answer too late."""

APART = ("lab", "performed", "release")
"""Fixtures whose parameters make worlds of their own: tests of one may run beside those of another."""

SHORT = 0.005
"""Seconds: `--durations` lists nothing that takes less."""

settings.register_profile("busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # how long an example takes says how busy the machine is


# A worker holds the modules of SDKs and thousands of tests: the collector would walk them again and again,
# and once more at exit.
gc.set_threshold(2_000_000, 5, 5)
atexit.register(gc.freeze)

# Pulumi's outputs take the current event loop, which `asyncio.run` in an earlier test takes away.
_LOOP = asyncio.new_event_loop()
atexit.register(_LOOP.close)


@pytest.fixture(autouse=True)
def no_session_of_boto3_stays() -> None:
    """The default one keeps the credentials of the test that used it first."""
    if "boto3" in sys.modules:
        sys.modules["boto3"].DEFAULT_SESSION = None


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes, which end with the test."""
    with ExitStack() as stack:
        yield lambda *command, **how: stack.enter_context(started(*command, **how))


def pytest_xdist_auto_num_workers() -> int:
    """What `-n auto` means."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return CORES + max(1, min(CORES + 1, memory // MEMORY - CORES))


def pytest_configure(config: pytest.Config) -> None:
    """A worker tells the controller what it shows, unless `-v` or JUnit's XML want all: a message costs as much as
    most tests. What other workers need too, it keeps beside their folders.
    """
    if not hasattr(config, "workerinput"):
        return
    shared.in_folder(Path(config.getoption("basetemp")).parent)
    if config.get_verbosity() <= 0 and not config.getoption("xmlpath"):
        (worker,) = [each for each in config.pluginmanager.get_plugins() if type(each).__name__ == "WorkerInteractor"]
        worker.sendevent = partial(_tell, worker.sendevent)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Hypothesis works out for two seconds what UTF-8 can encode, and keeps it in a file: not in every worker. It
    refuses to before its own `pytest_sessionstart`.
    """
    if not hasattr(session.config, "workerinput"):
        threading.Thread(target=st.characters(codec="utf-8").validate, daemon=True).start()


def _tell(send: Callable[..., None], name: str, **event: Any) -> None:
    """Not that a test begins and ends, nor that a fixture had nothing to say and took no time (`--durations`)."""
    if name in ("logstart", "logfinish"):
        return
    if name == "testreport":
        report = event["data"]
        fixtures, well = report["when"] != "call", report["outcome"] == "passed"
        if fixtures and well and report["duration"] < SHORT and not report["sections"]:
            return
    send(name, **event)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell the scheduler, which knows nothing of tests but their ids, which of them wait, and with which others."""
    gc.freeze()  # what is here now stays
    worker = getattr(session.config, "workerinput", {})
    if worker.get("workerid") == "gw0":
        groups = {item.nodeid: _group(item) for item in session.items if _waits(item)}
        _told(worker["testrunuid"]).write_text(json.dumps(groups))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test has an event loop, and those that wait go before the others, with all that they start."""
    asyncio.set_event_loop(_LOOP)
    if "PYTEST_XDIST_WORKER" in os.environ and os.geteuid() == 0:  # nobody else may take niceness back
        os.setpriority(os.PRIO_PROCESS, 0, 0 if _waits(item) else NICE)


def _waits(item: pytest.Item) -> bool:
    return any(map(item.get_closest_marker, WAITING))


def _group(item: pytest.Item) -> str:
    """All tests of a group need the same worker: a file's, but for the parameters in APART and the mark `alone`."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    alone = [item.name] if item.get_closest_marker("alone") else []
    return ", ".join([str(item.path), *(str(params[name]) for name in APART if name in params), *alone])


def _told(run: str) -> Path:
    return Path(tempfile.gettempdir()) / f"pytest-{run}.json"


class _Scheduling(LoadFileScheduling):
    """Groups of tests that wait, and files of others: each goes to one worker as a whole."""

    groups: dict[str, str]

    def schedule(self) -> None:
        if self.collection is None:
            told = _told(self.nodes[0].workerinput["testrunuid"])
            self.groups = json.loads(told.read_text())
            told.unlink()
        super().schedule()

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        """As it was; work that is done is forgotten, or else it would be counted again after every test."""
        for scope in [scope for scope, unit in workload.items() if all(unit.values())]:
            del workload[scope]
        return super()._pending_of(workload)

    def _reschedule(self, node: WorkerController) -> None:
        """As it was, but not while a worker has two tests left: what it took then, no other could begin."""
        if not self.workqueue or self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)

    def _split_scope(self, nodeid: str) -> str:
        return self.groups.get(nodeid) or super()._split_scope(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        computes = self.nodes.index(node) < CORES
        waiting = set(self.groups.values())
        fit = next((unit for unit in self.workqueue if (unit in waiting) != computes), None)
        if fit is not None:
            self.workqueue.move_to_end(fit, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    return _Scheduling(config, log) if config.getoption("dist") == "loadfile" else None
