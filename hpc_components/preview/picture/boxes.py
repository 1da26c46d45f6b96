"""Builds boxes that contain text, arranges them in rows, and draws frames around them. Units are CSS pixels.

The caller sets a box's width, and the content determines the height. All boxes in a row are as tall as the tallest
one, so boxes never overlap.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from hpc_components.preview.picture.cards import Card
from hpc_components.preview.picture.lettering import fit, measure, wrap

GAP = 14

PAD = 14

LABEL = 30
"""Height of a frame's label, in pixels."""

CARD = 208
"""Minimum width of cards that are side by side, in pixels."""

_ICON = 26
_STEP = 20
_DOT, _DOT_STEP, _DOTS = 8, 11, 32


@dataclass(frozen=True, kw_only=True)
class Text:
    """A line of text. `x` is its left edge, and `y` is its baseline."""

    x: float
    y: float
    text: str
    kind: str
    """`title`, `line`, `chip` or `label`. Determines the font size and weight; see `lettering.SIZES`."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """All coordinates are relative to the picture."""

    kind: str
    x: float = 0
    y: float = 0
    width: float
    height: float
    icon: str | None = None
    texts: tuple[Text, ...] = ()
    boxes: tuple["Box", ...] = ()

    def moved(self, dx: float, dy: float) -> "Box":
        return replace(
            self,
            x=self.x + dx,
            y=self.y + dy,
            texts=tuple(replace(text, x=text.x + dx, y=text.y + dy) for text in self.texts),
            boxes=tuple(box.moved(dx, dy) for box in self.boxes),
        )


_Maker = Callable[[float], Box]


def flow(
    makers: Sequence[_Maker],
    width: float,
    least: float,
    *,
    most: float = inf,
    stretch: Callable[[Box, float], Box] = lambda box, height: replace(box, height=height),
) -> list[list[Box]]:
    """Arrange boxes in rows. Each box is `least` to `most` pixels wide, and boxes in the same row have the same
    height.
    """
    if not makers:
        return []
    fitting = max(1, int((width + GAP) // (least + GAP)))
    count = -(-len(makers) // -(-len(makers) // fitting))
    each = min(most, (width - (count - 1) * GAP) / count)
    rows = []
    for start in range(0, len(makers), count):
        row = [make(each) for make in makers[start : start + count]]
        height = max(box.height for box in row)
        rows.append([stretch(box, height) for box in row])
    return rows


def frame(rows: Iterable[Sequence[Box]], width: float, kind: str, label: str | None = None) -> Box:
    pad = 0 if kind == "plain" else PAD
    y: float = LABEL if label else pad
    boxes = []
    for row in rows:
        x: float = pad
        for box in row:
            boxes.append(box.moved(x, y))
            x += box.width + GAP
        y += max(box.height for box in row) + GAP
    height = y - GAP + pad if boxes else y + pad
    texts = (Text(x=PAD, y=20, text=fit(label, width - 2 * PAD, "label"), kind="label"),) if label else ()
    return Box(kind=kind, width=width, height=height, texts=texts, boxes=tuple(boxes))


def card_box(card: Card, width: float) -> Box:
    if card.frame is None:
        return plain_card(card, width)
    label = card.frame.capitalize()
    if measure(label, "label") > width - 2 * PAD:
        label = label.removesuffix(" group")
    return frame([[plain_card(card, width - 2 * PAD)]], width, "placement", label)


def plain_card(card: Card, width: float) -> Box:
    """Return a card's box without a frame. From top to bottom, it shows the title with an icon, lines, nodes and
    chips.
    """
    inner = width - 2 * PAD
    beside = inner - _ICON - (_STEP + 6) * (card.step is not None)
    titles = _at_most(3, list(wrap(card.title, beside, "title")), beside)
    texts = [Text(x=PAD + _ICON, y=26.0 + 18 * row, text=title, kind="title") for row, title in enumerate(titles)]
    y = texts[-1].y + 4
    for line in [part for whole in card.lines for part in wrap(whole, inner, "line")]:
        y += 18
        texts.append(Text(x=PAD, y=y, text=line, kind="line"))
    y -= 4 * (not card.lines)
    boxes: list[Box] = []
    if card.step is not None:
        boxes.append(_step(card.step).moved(width - PAD - _STEP, 11))
    if card.nodes is not None:
        dots = _dots(card.nodes, inner)
        boxes += [dot.moved(PAD, y + 12) for dot in dots]
        y += 12 + (max(dot.y for dot in dots) + _DOT if dots else 0)
    if card.chips:
        chips = [chip.moved(PAD, y + 12) for chip in _chips(card.chips, inner)]
        boxes += chips
        y = max(chip.y + chip.height for chip in chips)
    kind = "fleet" if card.kind == "fleet" else "card"
    return Box(kind=kind, width=width, height=y + PAD, icon=card.kind, texts=tuple(texts), boxes=tuple(boxes))


def _step(number: int) -> Box:
    text = Text(x=0, y=14, text=str(number), kind="chip")
    return Box(kind="step", width=_STEP, height=_STEP, texts=(text,))


def _at_most(count: int, titles: list[str], width: float) -> list[str]:
    if len(titles) <= count:
        return titles
    return [*titles[: count - 1], fit(titles[count - 1] + "…" * 2, width, "title")]


def _dots(nodes: tuple[int, int], width: float) -> list[Box]:
    fewest, most = nodes
    abreast = 16 if width >= 16 * _DOT_STEP else 8
    return [
        Box(
            kind="node on" if index < fewest else "node",
            x=index % abreast * _DOT_STEP,
            y=index // abreast * _DOT_STEP,
            width=_DOT,
            height=_DOT,
        )
        for index in range(min(most, _DOTS))
    ]


def _chips(chips: Sequence[str], width: float) -> list[Box]:
    placed: list[Box] = []
    x = y = 0.0
    for chip in (chip_box(text, width) for text in chips):
        if x and x + chip.width > width:
            x, y = 0.0, y + 26
        placed.append(chip.moved(x, y))
        x += chip.width + 6
    return placed


def chip_box(text: str, width: float) -> Box:
    label = Text(x=8, y=14, text=fit(text, width - 16, "chip"), kind="chip")
    return Box(kind="chip", width=measure(label.text, "chip") + 16, height=20, texts=(label,))
