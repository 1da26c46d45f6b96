"""The plots of a forecast's page, as coordinates for the template."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpc_components.forecast.show.wording import day, duration, usd

_Json = Mapping[str, Any]

WIDTH, HEIGHT = 900, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 12, 12, 34
_INNER_WIDTH, _INNER_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
_MARKS = 6
"""Approximate number of labels on the time axis."""

DAY = 86400


@dataclass(frozen=True)
class Label:
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Line:
    look: int
    """Number of the stack, which selects the line's style."""
    points: str


@dataclass(frozen=True)
class Bar:
    look: int
    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, kw_only=True)
class Plot:
    anchor: str
    title: str
    words: str
    """Text version for screen readers."""
    lines: tuple[Line, ...] = ()
    bars: tuple[Bar, ...] = ()
    below: tuple[Label, ...]
    """Labels of the horizontal axis."""
    beside: tuple[Label, ...]
    """Labels of the vertical axis, each with a rule."""


def plots(document: _Json) -> tuple[Plot, ...]:
    return _nodes(document), _waits(document), _costs(document)


def _nodes(document: _Json) -> Plot:
    series = []
    for stack in document["stacks"]:
        steps: dict[int, float] = {}
        for queue in stack["queues"]:
            nodes = queue["nodes"]
            for index, value in enumerate(nodes["values"]):
                time = nodes["start"] + index * nodes["step"]
                steps[time] = steps.get(time, 0) + value
        series.append(sorted(steps.items()))
    words = "; ".join(
        f"{stack['stack']}: at most {max((value for _, value in own), default=0):,.0f} nodes"
        for stack, own in zip(document["stacks"], series, strict=True)
    )
    return _over_time(document, "nodes", "Nodes over time", words, series, lambda value: f"{value:,.4g}")


def _costs(document: _Json) -> Plot:
    series = [[(each["day"], each["cost"]) for each in stack["days_cost"]] for stack in document["stacks"]]
    words = "; ".join(
        f"{stack['stack']}: at most {usd(max((value for _, value in own), default=0))} USD a day"
        for stack, own in zip(document["stacks"], series, strict=True)
    )
    return _over_time(document, "days", "Cost of nodes per day, USD", words, series, lambda value: f"{value:,.4g}")


def _over_time(
    document: _Json, anchor: str, title: str, words: str, series: Sequence[Sequence[tuple[int, float]]], write: Any
) -> Plot:
    times = [time for own in series for time, _ in own]
    first = min(times, default=document["first"])
    last = max([*times, document["last"], first + 1])
    most = max((value for own in series for _, value in own), default=0) or 1

    def at(time: float) -> float:
        return round(_LEFT + _INNER_WIDTH * (time - first) / (last - first), 1)

    def up(value: float) -> float:
        return round(_TOP + _INNER_HEIGHT * (1 - value / most), 1)

    lines = []
    for look, own in enumerate(series):
        ends = [time for time, _ in own[1:]] + [last]
        steps = [
            f"{at(time)},{up(value)} {at(end)},{up(value)}" for (time, value), end in zip(own, ends, strict=True)
        ]
        lines.append(Line(look, " ".join(steps)))
    marks = [first + (last - first) * index / _MARKS for index in range(_MARKS)]
    return Plot(
        anchor=anchor,
        title=title,
        words=words,
        lines=tuple(lines),
        below=tuple(Label(at(time), HEIGHT - 10, _moment(time, last - first)) for time in marks),
        beside=tuple(_levels(most, up, write)),
    )


def _waits(document: _Json) -> Plot:
    limits = document["wait_limits"]
    titles = [f"to {duration(limit)}" for limit in limits] + [f"over {duration(limits[-1])}"]
    shares = [_shares(stack["waits"], len(titles)) for stack in document["stacks"]]
    most = max((share for own in shares for share in own), default=0) or 1
    room = _INNER_WIDTH / len(titles)
    each = room * 0.8 / max(len(shares), 1)

    def up(value: float) -> float:
        return round(_TOP + _INNER_HEIGHT * (1 - value / most), 1)

    bars = [
        Bar(
            look,
            round(_LEFT + room * (place + 0.1) + each * look, 1),
            up(share),
            round(each * 0.92, 1),
            round(_TOP + _INNER_HEIGHT - up(share), 1),
            f"{stack['stack']}: {share:.1%} of jobs waited {titles[place]}",
        )
        for look, (stack, own) in enumerate(zip(document["stacks"], shares, strict=True))
        for place, share in enumerate(own)
    ]
    return Plot(
        anchor="waits",
        title="Share of jobs by wait",
        words="; ".join(bar.title for bar in bars),
        bars=tuple(bars),
        below=tuple(
            Label(round(_LEFT + room * (place + 0.15), 1), HEIGHT - 10, title) for place, title in enumerate(titles)
        ),
        beside=tuple(_levels(most, up, lambda value: f"{value:.0%}")),
    )


def _shares(waits: _Json | None, classes: int) -> list[float]:
    if waits is None:
        return [0.0] * classes
    total = sum(waits["classes"])
    return [count / total for count in waits["classes"]]


def _levels(most: float, up: Any, write: Any) -> Iterator[Label]:
    for part in (0, 0.5, 1):
        yield Label(_LEFT - 8, up(most * part), write(most * part))


def _moment(time: float, span: float) -> str:
    if span < 3 * DAY:
        minutes = round(time % DAY) // 60
        return f"{day(round(time))[5:]} {minutes // 60:02}:{minutes % 60:02}"
    return day(round(time))
