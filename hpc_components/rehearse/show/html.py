"""A rehearsal as one self-contained HTML page, without network requests or scripts."""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources as packaged
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hpc_components.rehearse.events import NodeState
from hpc_components.rehearse.result import NodeLife, Rehearsal
from hpc_components.rehearse.show import wording
from hpc_components.rehearse.show.picture import MEDIUM, NARROW, WIDE, draw
from hpc_components.rehearse.show.timeline import job_rows, marks, node_rows
from hpc_components.wording import plural

_PACKAGE = "hpc_components.rehearse.show"

_SHEETS = {"colours": "hpc_components.preview.render", "style": "hpc_components.preview.render", "timeline": _PACKAGE}
"""The package of each style sheet: all pages about clusters share two of them."""

_HEAD, _TAIL = 500, 500
"""Numbers of lines shown from the start and end of a job's output."""

_JOBS = 40
"""Maximum number of jobs in the table."""

_FOLDED_FROM = 32
"""Number of nodes from which on their table is folded."""

_NO_MACHINE = (NodeState.GONE, NodeState.WANTED)

_UP = (NodeState.IDLE, NodeState.CONFIGURING, NodeState.BUSY)


def render_html(rehearsal: Rehearsal) -> str:
    """Return the page, the same text for the same rehearsal."""
    style = _css("colours", "style", "timeline")
    jobs, left_out_jobs = job_rows(rehearsal, _JOBS)
    head, left_out, tail = wording.cut(rehearsal.output, _HEAD, _TAIL)
    return _environment().get_template("page.html.j2").render(
        rehearsal=rehearsal,
        result=_result(rehearsal),
        other_release=wording.other_release(rehearsal),
        held=wording.verdict(rehearsal.checks).rpartition(": ")[2],
        most=_most(rehearsal),
        restarts=_restarts(rehearsal),
        sections=list(_sections(rehearsal)),
        marks=marks(rehearsal),
        wide=draw(rehearsal, WIDE),
        medium=draw(rehearsal, MEDIUM),
        narrow=draw(rehearsal, NARROW),
        words=_described(rehearsal),
        jobs=jobs,
        left_out_jobs=left_out_jobs,
        head="\n".join(head),
        left_out=left_out,
        tail="\n".join(tail),
        lives=[_life(node, rehearsal.duration) for node in rehearsal.nodes],
        many=len(rehearsal.nodes) > _FOLDED_FROM,
        changes=wording.grouped(rehearsal.changes),
        style=Markup(style),
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        **_WORDS,
    )  # fmt: skip


def render_picture(rehearsal: Rehearsal) -> str:
    """Return the timeline alone, as an SVG file with a light and a dark theme."""
    style = Markup(_css("colours", "timeline") + ".picture .paper { fill: var(--paper); stroke: none; }")
    return _environment().get_template("timeline_alone.svg.j2").render(
        picture=draw(rehearsal, WIDE), words=_described(rehearsal), style=style, listed=marks(rehearsal), **_WORDS
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class _Life:
    """A node's row in the table."""

    name: str
    machine: str
    wanted: str
    up: str
    busy: str
    down: str
    gone: str


def _life(node: NodeLife, end: float) -> _Life:
    up = next((span.begin for span in node.spans if span.state in _UP), None)
    last = node.spans[-1]
    gone = last.begin if last.state == NodeState.GONE else last.end if last.end < end else None
    return _Life(
        name=node.name,
        machine=node.machine,
        wanted=wording.seconds(node.spans[0].begin),
        up="never" if up is None else wording.seconds(up),
        busy=_total(node, NodeState.BUSY),
        down=_total(node, NodeState.DOWN),
        gone="still there" if gone is None else wording.seconds(gone),
    )


def _total(node: NodeLife, state: NodeState) -> str:
    spent = sum(span.end - span.begin for span in node.spans if span.state == state)
    return wording.seconds(spent) if spent else ""


def _result(rehearsal: Rehearsal) -> str:
    if not rehearsal.checks:
        return "unchecked"
    return "passed" if rehearsal.passed else "failed"


def _most(rehearsal: Rehearsal) -> int:
    """Return the maximum number of machines at a time."""
    there = [span for node in rehearsal.nodes for span in node.spans if span.state not in _NO_MACHINE]
    return max((sum(span.begin <= each.begin < span.end for span in there) for each in there), default=0)


def _restarts(rehearsal: Rehearsal) -> str:
    restarts = sum(job.restarts for job in rehearsal.jobs)
    return f"jobs were requeued {restarts} times" if restarts > 1 else (
        "one job was requeued" if restarts else "no job was requeued"
    )  # fmt: skip


def _sections(rehearsal: Rehearsal) -> Iterator[tuple[str, str]]:
    yield from (("timeline", "Timeline"), ("checks", "Checks"), ("job", "Job"))
    if rehearsal.nodes:
        yield "nodes", "Nodes"
    if rehearsal.changes:
        yield "changes", "Changed lines"
    if rehearsal.events:
        yield "events", "Events"


def _described(rehearsal: Rehearsal) -> str:
    """Return a text version of the picture, for screen readers."""
    sentences = []
    for row in (*node_rows(rehearsal, _FOLDED_FROM)[0], *job_rows(rehearsal, _JOBS)[0]):
        states = ", ".join(f"{span.state.lower()} from {wording.seconds(span.begin)}" for span in row.spans)
        sentences.append(f"{row.label}: {states}.")
    sentences += [f"Mark {mark.number} at {wording.seconds(mark.t)}: {mark.words}." for mark in marks(rehearsal)]
    return " ".join(sentences)


@cache
def _css(*names: str) -> str:
    return "".join(
        packaged.files(_SHEETS[name]).joinpath("templates", f"{name}.css").read_text(encoding="utf-8")
        for name in names
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=lambda value: wording.literal(value) if type(value) is str else value,
    )


_WORDS: dict[str, Any] = {
    "count": plural,
    "ending": wording.ending,
    "scaling": wording.scaling,
    "seconds": wording.seconds,
    "job_summary": wording.job_summary,
}
"""Functions for the templates."""
