"""Renders a rehearsal as a self-contained HTML page without scripts or network requests."""

from collections.abc import Iterable, Iterator

from hpc_components.rehearse.events import NodeState
from hpc_components.rehearse.result import JobLife, NodeLife, Rehearsal
from hpc_components.rehearse.show import wording
from hpc_components.rehearse.show.picture import MEDIUM, NARROW, WIDE, draw
from hpc_components.rehearse.show.timeline import Row, job_rows, marks, node_rows
from hpc_components.report.page import render_page, render_svg
from hpc_components.report.parts import Column, Figure, Page, Section, Table, words
from hpc_components.wording import plural

_PACKAGE = "hpc_components.rehearse.show"

_HEAD, _TAIL = 500, 500
"""Number of lines to show from the beginning and end of a job's output."""

_JOBS = 40
"""Maximum number of jobs in the table."""

_FOLDED_FROM = 32
"""Number of nodes above which the table is folded."""

_NO_MACHINE = (NodeState.GONE, NodeState.WANTED)

_UP = (NodeState.IDLE, NodeState.CONFIGURING, NodeState.BUSY)


def render_html(rehearsal: Rehearsal) -> str:
    """Render the page. The same rehearsal always produces the same text."""
    jobs, left_out_jobs = job_rows(rehearsal, _JOBS)
    head, left_out, tail = wording.cut(rehearsal.output, _HEAD, _TAIL)
    return render_page(
        _PACKAGE,
        "page.html.j2",
        _page(rehearsal),
        ("timeline",),
        rehearsal=rehearsal,
        marks=marks(rehearsal),
        wide=draw(rehearsal, WIDE),
        medium=draw(rehearsal, MEDIUM),
        narrow=draw(rehearsal, NARROW),
        words=_described(rehearsal),
        jobs=_jobs(jobs),
        left_out_jobs=left_out_jobs,
        head="\n".join(head),
        left_out=left_out,
        tail="\n".join(tail),
        nodes=_nodes(rehearsal),
        many=len(rehearsal.nodes) > _FOLDED_FROM,
        changes=wording.grouped(rehearsal.changes),
        events=_events(rehearsal),
        wording=wording,
        count=plural,
    )


def render_picture(rehearsal: Rehearsal) -> str:
    """Render only the timeline, as an SVG file with light and dark themes."""
    drawing = {"picture": draw(rehearsal, WIDE), "words": _described(rehearsal), "listed": marks(rehearsal)}
    return render_svg(_PACKAGE, "timeline_alone.svg.j2", "timeline", wording=wording, **drawing)


def _page(rehearsal: Rehearsal) -> Page:
    result = _result(rehearsal)
    return Page(
        title=f"Rehearsal of {rehearsal.cluster}: {result}",
        heading=f"Rehearsal of {rehearsal.cluster}",
        where=f"Slurm {rehearsal.slurm} on {rehearsal.here}",
        note=wording.other_release(rehearsal),
        figures=tuple(_figures(rehearsal, result)),
        skip_to="timeline",
        sections=tuple(_sections(rehearsal)),
        footer="Rehearsed by hpc on one machine, with real Slurm daemons, the generated configuration, and nodes "
        "made of namespaces. No cloud was involved.",
    )


def _figures(rehearsal: Rehearsal, result: str) -> Iterator[Figure]:
    held = wording.verdict(rehearsal.checks).rpartition(": ")[2]
    most = f"at most {_most(rehearsal):,} at a time" if rehearsal.nodes else "none was wanted"
    yield Figure("Result", result.capitalize(), held, look=result)
    yield Figure("Time", wording.seconds(rehearsal.duration), "from start to end")
    yield Figure("Compute nodes", f"{len(rehearsal.nodes):,}", most)
    yield Figure("Injected fault", rehearsal.fault or "None", _restarts(rehearsal))


def _jobs(rows: Iterable[Row[JobLife]]) -> Table:
    columns = "Job", words("outcome")
    lives = ((wording.job_summary(row), wording.ending(row.lives[0])) for row in rows)
    return Table("Jobs", columns, lives)


def _nodes(rehearsal: Rehearsal) -> Table:
    columns = (
        "Node",
        words("machine"),
        Column("wanted at", aside=True),
        "up at",
        "busy for",
        Column("down for", aside=True),
        "gone at",
    )
    lives = (_life(node, rehearsal.duration) for node in rehearsal.nodes)
    return Table("Key times per node", columns, lives)


def _life(node: NodeLife, end: float) -> tuple[str, ...]:
    up = next((span.begin for span in node.spans if span.state in _UP), None)
    last = node.spans[-1]
    gone = last.begin if last.state == NodeState.GONE else last.end if last.end < end else None
    return (
        node.name,
        node.machine,
        wording.seconds(node.spans[0].begin),
        "never" if up is None else wording.seconds(up),
        _total(node, NodeState.BUSY),
        _total(node, NodeState.DOWN),
        "still there" if gone is None else wording.seconds(gone),
    )


def _events(rehearsal: Rehearsal) -> Table:
    columns = Column("Seconds"), words("about", look="soft"), words("what happened")
    events = ((f"{event.t:.1f}", event.kind, event.words) for event in rehearsal.events)
    return Table("Events", columns, events)


def _total(node: NodeLife, state: NodeState) -> str:
    spent = sum(span.end - span.begin for span in node.spans if span.state == state)
    return wording.seconds(spent) if spent else ""


def _result(rehearsal: Rehearsal) -> str:
    if not rehearsal.checks:
        return "unchecked"
    return "passed" if rehearsal.passed else "failed"


def _most(rehearsal: Rehearsal) -> int:
    """Return the largest number of machines that existed at the same time."""
    there = [span for node in rehearsal.nodes for span in node.spans if span.state not in _NO_MACHINE]
    return max((sum(span.begin <= each.begin < span.end for span in there) for each in there), default=0)


def _restarts(rehearsal: Rehearsal) -> str:
    restarts = sum(job.restarts for job in rehearsal.jobs)
    return f"jobs were requeued {restarts} times" if restarts > 1 else (
        "one job was requeued" if restarts else "no job was requeued"
    )  # fmt: skip


def _sections(rehearsal: Rehearsal) -> Iterator[Section]:
    yield from (Section("timeline", "Timeline"), Section("checks", "Checks"), Section("job", "Job"))
    if rehearsal.nodes:
        yield Section("nodes", "Nodes")
    if rehearsal.changes:
        yield Section("changes", "Changed lines")
    if rehearsal.events:
        yield Section("events", "Events")


def _described(rehearsal: Rehearsal) -> str:
    """Return a text version of the timeline for screen readers."""
    sentences = []
    for row in (*node_rows(rehearsal, _FOLDED_FROM)[0], *job_rows(rehearsal, _JOBS)[0]):
        states = ", ".join(f"{span.state.lower()} from {wording.seconds(span.begin)}" for span in row.spans)
        sentences.append(f"{row.label}: {states}.")
    sentences += [f"Mark {mark.number} at {wording.seconds(mark.t)}: {mark.words}." for mark in marks(rehearsal)]
    return " ".join(sentences)
