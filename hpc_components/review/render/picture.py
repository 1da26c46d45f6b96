"""Draws the changes as a Mermaid flowchart: a box for each component, grouped by the urgency of its changes."""

from collections import Counter
from collections.abc import Iterator, Sequence

from hpc_components.report.markdown import label
from hpc_components.review.change_effects import Effect
from hpc_components.review.changes_by_component import Node
from hpc_components.review.document import Change
from hpc_components.review.wording import Urgency, done, effect_words, urgency_of

_TITLES = {Urgency.ALARM: "lost or interrupted", Urgency.LOOK: "to be judged", Urgency.FINE: "harmless"}

_BOXES = 8
"""Maximum number of boxes in a frame. The rest are only counted, so that GitHub does not shrink the picture."""

_NAME_CHARACTERS = 40

_STYLES = (
    "classDef alarm fill:#ffebe9,stroke:#cf222e,color:#1f2328",
    "classDef look fill:#fff8c5,stroke:#9a6700,color:#1f2328",
    "classDef fine fill:#dafbe1,stroke:#1a7f37,color:#1f2328",
)


def picture_of(roots: Sequence[Node]) -> str:
    """Return the flowchart's source text. Arrows lead from a cause to its consequences."""
    lines = ["flowchart LR", *_STYLES]
    boxes: dict[str, str] = {}
    for urgency, title in _TITLES.items():
        some = [node for node in roots if _urgency(node) is urgency]
        if some:
            lines += [
                f'subgraph {urgency}_frame["{label(title)}"]',
                "direction LR",
                *_boxes(urgency, some, boxes),
                "end",
            ]
            lines.append(f"style {urgency}_frame fill:none,stroke:#818b98")
    frames = [f"{urgency}_frame" for urgency in Urgency if any(_urgency(node) is urgency for node in roots)]
    abreast = [" ~~~ ".join(frames)] if len(frames) > 1 else []  # invisible links place the frames side by side
    return "\n".join([*lines, *abreast, *_arrows(roots, boxes), ""])


def _urgency(node: Node) -> Urgency:
    return min(map(urgency_of, node.changes), key=list(Urgency).index)


def _boxes(urgency: Urgency, nodes: Sequence[Node], boxes: dict[str, str]) -> Iterator[str]:
    """Yield a frame's boxes, and record the box of each changed URN in `boxes`."""
    for index, node in enumerate(nodes[:_BOXES]):
        name = f"{urgency}{index}"
        boxes |= {change.urn: name for change in node.changes}
        means = () if node.worst is Effect.LIVE else (effect_words(node.worst),)
        yield f'{name}["{label(*_title(node), _tally(node.changes), *means)}"]:::{urgency}'
    if rest := nodes[_BOXES:]:
        changes = [change for node in rest for change in node.changes]
        yield f'{urgency}_rest["{label(f"{len(rest)} more", _tally(changes))}"]:::{urgency}'


def _title(node: Node) -> tuple[str, ...]:
    if len(node.alike) > 1:
        return (f"{len(node.alike)} {node.kind}",)
    return node.kind, node.name[:_NAME_CHARACTERS]


def _tally(changes: Sequence[Change]) -> str:
    counts = Counter(done(change) for change in changes)
    return ", ".join(f"{number} {words}" for words, number in sorted(counts.items()))


def _arrows(roots: Sequence[Node], boxes: dict[str, str]) -> list[str]:
    entailed = (change for node in roots for change in node.changes if change.because)
    pairs = ((boxes.get(change.because), boxes.get(change.urn)) for change in entailed)
    return list(dict.fromkeys(f"{one} --> {other}" for one, other in pairs if one and other and one != other))
