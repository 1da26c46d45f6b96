"""Rehearsals made by chance."""

from itertools import pairwise

from hypothesis import strategies as st

from hpc_components.rehearse.events import Code, Event, Kind, NodeState
from hpc_components.rehearse.result import Change, Check, JobLife, NodeLife, Rehearsal, Scale, Span

TIMES = st.floats(0, 5000, allow_nan=False)
JOB_STATES = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "COMPLETED", "FAILED", "NODE_FAIL", "SUSPENDED")
WORDS = st.text(max_size=40)


@st.composite
def lives(draw: st.DrawFn, duration: float, states: tuple[str, ...]) -> tuple[Span, ...]:
    """Spans that follow one another, within `duration`."""
    inside = st.floats(0, duration, allow_nan=False)
    times = sorted(draw(st.lists(inside, min_size=2, max_size=30)))
    return tuple(Span(state=draw(st.sampled_from(states)), begin=begin, end=end) for begin, end in pairwise(times))


CHECKS = st.builds(Check, what=WORDS, passed=st.booleans(), detail=WORDS, code=st.none() | st.sampled_from(Code))

EVENTS = st.builds(
    Event, t=TIMES, kind=st.sampled_from(Kind), code=st.none() | st.sampled_from(Code), words=WORDS, node=WORDS,
    state=WORDS, pool=WORDS,
)  # fmt: skip


@st.composite
def rehearsals(draw: st.DrawFn, *, nodes: int = 8) -> Rehearsal:
    """Any rehearsal: names and words may be anything."""
    duration = draw(TIMES)
    names = draw(st.lists(st.integers(1, 99).map(lambda number: f"queue-{number}"), unique=True, max_size=nodes))
    ids = draw(st.lists(st.integers(1, 99), unique=True, max_size=5))
    return Rehearsal(
        cluster=draw(WORDS),
        slurm=draw(WORDS),
        here=draw(WORDS),
        fault=draw(st.sampled_from(["", "spot", "dead-node"])),
        command=draw(WORDS),
        scale=draw(st.none() | st.builds(Scale)),
        changes=tuple(
            draw(st.lists(st.builds(Change, file=WORDS, before=WORDS, after=WORDS, why=WORDS), max_size=4))
        ),
        events=tuple(draw(st.lists(EVENTS, max_size=6))),
        nodes=tuple(
            NodeLife(name=name, machine=draw(WORDS), spans=draw(lives(duration, tuple(NodeState)))) for name in names
        ),
        jobs=tuple(
            JobLife(
                id=id,
                name=draw(WORDS),
                queue="queue",
                nodes=tuple(names[: draw(st.integers(0, 3))]),
                restarts=draw(st.integers(0, 3)),
                exit_code=draw(st.sampled_from(["", "0:0", "1:0"])),
                spans=draw(lives(duration, JOB_STATES)),
            )
            for id in ids
        ),
        checks=tuple(draw(st.lists(CHECKS, max_size=4))),
        output=draw(WORDS),
        accounting=draw(WORDS),
        duration=duration,
    )
