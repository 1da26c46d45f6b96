"""What an acceptance test found. A document of it is stable: see `show/document.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum


class Code(StrEnum):
    """What is tested. `--skip` takes these, and `docs/accept.md` lists them."""

    LOGIN = "login"
    HOME = "home"
    SHARED_FILES = "shared-files"
    JOB = "job"
    RANKS = "ranks"
    NAMES = "names"
    START_TIME = "start-time"
    ACCOUNTING = "accounting"
    FABRIC = "fabric"
    MPI = "mpi"
    GPUS = "gpus"
    NCCL = "nccl"
    THROUGHPUT = "throughput"
    LOCAL_SCRATCH = "local-scratch"
    BUCKETS = "buckets"
    BOOT_STEPS = "boot-steps"
    SPOT = "spot"


class State(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    WARNED = "warned"  # outside a limit that no primary source confirms, or below `warn_below`
    SHOWN = "shown"  # figures without an expectation
    LEFT_OUT = "left out"  # not tested, for the reason in the detail; never counts as passed


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A measured value, and its limits if something states what to expect."""

    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None
    warn_below: float | None = None
    """Value below which the figure is a warning although `at_least` holds, if there is such a value."""
    source: str = ""
    """Where the limit comes from, or empty without a limit."""
    unsure: bool = False
    """Whether the limit is not confirmed by a primary source, so that missing it is a warning."""

    @property
    def holds(self) -> bool:
        enough = self.at_least is None or self.value >= self.at_least
        return enough and (self.at_most is None or self.value <= self.at_most)

    @property
    def poor(self) -> bool:
        """Whether the limits hold, but the figure is a warning."""
        return self.holds and self.warn_below is not None and self.value < self.warn_below

    @property
    def judged(self) -> bool:
        return self.at_least is not None or self.at_most is not None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    code: Code
    what: str
    """Condition, worded for users, e.g. `all 192 ranks say hello from 2 nodes`."""
    state: State
    where: str = ""
    """Queue or file system, or empty for the whole cluster."""
    detail: str = ""
    """Observed facts, or the reason why the test was left out."""
    figures: Sequence[Figure] = ()


@dataclass(frozen=True, kw_only=True)
class QueueJob:
    """The job of a queue, and the most that it may cost."""

    queue: str
    machine: str
    nodes: int
    minutes: int
    """Time limit of the job."""
    usd: Decimal | None
    """Maximum cost of its nodes, from their launch until they are idle for so long that they end. None if a price is
    unknown."""
    job: int = 0
    """Id in Slurm, or 0 if it was not submitted."""
    names: Sequence[str] = ()
    """Its nodes."""


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    cluster: str
    cloud: str
    region: str
    rehearsed: bool
    """Whether the cluster was a rehearsal on one machine, so that figures say nothing about the cloud."""
    user: str
    """Account with which it was tested."""
    began: str
    """In UTC, as `2026-11-29T05:00:00Z`."""
    seconds: float
    versions: Mapping[str, str]
    """Releases by program: `hpc`, `slurm`, and the `os` of the place where users log in."""
    described_sha256: str
    """Of the description, so that a report can be matched with a commit."""
    jobs: Sequence[QueueJob]
    outcomes: Sequence[Outcome]
    boot_steps: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Seconds of each step of the first boot, by node."""

    @property
    def passed(self) -> bool:
        states = {outcome.state for outcome in self.outcomes}
        return State.FAILED not in states and State.PASSED in states


def judged(
    code: Code, what: str, where: str, figures: Sequence[Figure], detail: str = "", *, wrong: str = ""
) -> Outcome:
    """Return the outcome of a test with figures. `wrong` says what failed apart from them."""
    missed = [figure for figure in figures if not figure.holds or figure.poor]
    if wrong or any(not figure.holds and not figure.unsure for figure in missed):
        state = State.FAILED
    elif missed:
        state = State.WARNED
    else:
        state = State.PASSED if any(figure.judged for figure in figures) else State.SHOWN
    detail = "; ".join(filter(None, [wrong, *map(shortfall, missed), detail]))
    return Outcome(code=code, what=what, state=state, where=where, detail=detail, figures=tuple(figures))


def shortfall(figure: Figure) -> str:
    least = figure.warn_below if figure.poor else figure.at_least
    limit = f"at least {least:,.6g}" if least is not None else f"at most {figure.at_most:,.6g}"
    return f"{figure.name} is {figure.value:,.6g} {figure.unit}, expected {limit}"


def held(code: Code, what: str, where: str, wrong: Sequence[str], detail: str = "") -> Outcome:
    """Return the outcome of a test that passes if nothing is `wrong`."""
    state = State.FAILED if wrong else State.PASSED
    return Outcome(code=code, what=what, state=state, where=where, detail="; ".join(wrong) or detail)


def left_out(code: Code, what: str, where: str, reason: str) -> Outcome:
    return Outcome(code=code, what=what, state=State.LEFT_OUT, where=where, detail=reason)
