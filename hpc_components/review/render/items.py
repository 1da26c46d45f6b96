from collections.abc import Iterable, Iterator, Sequence

from hpc_components.preview.resources import UNKNOWN
from hpc_components.report.markdown import code, escaped
from hpc_components.report.wording import count
from hpc_components.review.cautions import points
from hpc_components.review.change_effects import Effect
from hpc_components.review.changes_by_component import Node, Outline, also, by_kind, inputs, reasons
from hpc_components.review.document import Change, DescriptionChange, Operation, PropertyChange, Review
from hpc_components.review.render.diffs import text_note
from hpc_components.review.wording import (
    Urgency,
    capital,
    changed_by,
    done,
    effect_sentence,
    is_mark,
    means,
    named,
    stops,
    urgency_of,
)
from hpc_components.wording import listed, plural

_DETAILED_GROUPS = 25

_LISTED_NAMES = 40

_LISTED_INPUTS = 8
"""Maximum number of inputs shown for a resource. If there is just one more, it is also shown."""


def group_items(found: Sequence[tuple[Change, ...]]) -> Iterator[str]:
    """Yield an item for each group of similar changes: what happens, why, who is affected, and what to do beforehand.

    If there are many groups, the last ones are merged into a few items without details, so that no alarm is left out
    for lack of space.
    """
    for some in found[:_DETAILED_GROUPS]:
        yield "<br>".join([f"{_headed(some)}. {escaped(effect_sentence(some[0]))}", *_particulars(some)]) + "\n"
    for some in also(found[_DETAILED_GROUPS:]):
        yield f"{_headed(some)}\n"


def _headed(some: Sequence[Change]) -> str:
    first = some[0]
    meant = done(first) if first.effect is Effect.LIVE else means(first)
    what = f"{_named(some)} {'is' if len(some) == 1 else 'are'} {done(first)}"
    return f"- {_sign(urgency_of(first))} **{capital(meant)}**: {what}"


def _sign(urgency: Urgency) -> str:
    return "🛑" if urgency is Urgency.ALARM else "⚠️"


def _particulars(some: Sequence[Change]) -> Iterator[str]:
    change = some[0]
    if stops(change):
        yield "**Protected**: Pulumi stops here until the protection is removed."
    because = "Because " if change.operation is Operation.REPLACE else ""
    yield from _few([f"{because}{_input(each)}" for each in reasons(change)])
    if change.because:
        kind, name = named(change.because)
        yield f"Follows from **{escaped(kind)}** {code(name)}"
    if change.remedy:
        yield f"→ {escaped(change.remedy)}"
    if change.source and urgency_of(change) is Urgency.ALARM and len({each.source for each in some}) == 1:
        yield f"<sub>Source: {escaped(change.source)}</sub>"


def point_items(review: Review, urgency: Urgency) -> Iterator[str]:
    for words, names in points(review, urgency):
        yield f"- {_sign(urgency)} {listed(map(code, names), _LISTED_NAMES)}: {escaped(words)}\n"


def description_items(changes: Iterable[DescriptionChange]) -> Iterator[str]:
    for change in changes:
        before, after = map(_value, changed_by(change.before, change.after, as_yaml=True))
        line = f" (line {change.line})" if change.line else ""
        yield f"- {code(change.path)}: {before} → {after}{line}\n"


def tree_items(outline: Outline) -> Iterator[str]:
    for node in outline.roots:
        yield from _branch(node, 0)
    if outline.noise:
        yield f"- not shown: {plural(outline.noise, 'change')} of providers' versions and of derived inputs\n"


def _branch(node: Node, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if node.alike:
        first = node.alike[0]
        effect = "" if first.effect is Effect.LIVE else f": {means(first)}"
        held = ", protected" if first.protected else ""
        head = f"{indent}- {_named(node.alike)} {done(first)}{held}{effect}\n"
        yield head + "".join(_inputs(first, indent))
    else:
        yield f"{indent}- **{escaped(node.kind)}** {code(node.name)}\n"
    for child in node.children:
        yield from _branch(child, depth + 1)


def _inputs(change: Change, indent: str) -> Iterator[str]:
    """Yield a line for each input that differs in an updated or replaced resource.

    A created or deleted resource yields nothing, because all of its inputs would be listed.
    """
    if change.operation in (Operation.UPDATE, Operation.REPLACE):
        yield from (f"{indent}  - {line}\n" for line in _few(list(map(_input, inputs(change)))))


def _named(some: Sequence[Change]) -> str:
    return ", ".join(_of_a_kind(kind, alike) for kind, alike in by_kind(some))


def _of_a_kind(kind: str, alike: Sequence[Change]) -> str:
    number = f"{len(alike)} " if len(alike) > 1 else ""
    return f"{number}**{escaped(kind)}** {listed((code(change.name) for change in alike), _LISTED_NAMES)}"


def _input(change: PropertyChange) -> str:
    return f"{code(change.path)}: {_difference(change)}"


def _difference(change: PropertyChange) -> str:
    if note := text_note(change):
        return note
    before, after = map(_value, changed_by(change.before, change.after))
    if before == after:
        return f"{after}, {'of another resource' if change.after == UNKNOWN else 'another one'}"
    return f"{before} → {after}"


def _value(text: str) -> str:
    return text if is_mark(text) else code(text)


def _few(lines: list[str]) -> list[str]:
    rest = len(lines) - _LISTED_INPUTS
    return lines if rest <= 1 else [*lines[:_LISTED_INPUTS], f"and {count(rest, 'more input')}"]
