"""How wide a line of text will be, estimated on the safe side: the reader's font is not known."""

from collections.abc import Iterator

__all__ = ["SIZES", "fit", "measure", "wrap"]

SIZES = {"title": 14.0, "line": 12.5, "chip": 11.0, "label": 12.0}
"""Font size in pixels by kind of text."""

_BOLD = {"title", "label"}
_NARROW, _WIDE = frozenset("fijlrtI.,:;'|!()[]/- "), frozenset("mwMW@%—…")
_ELLIPSIS = "…"


def _em(character: str) -> float:
    """Width in em: about that of DejaVu Sans, the widest of the common fonts."""
    if character in _NARROW:
        return 0.42
    if character in _WIDE or ord(character) > 0x2E80:
        return 1.0
    return 0.72 if character.isupper() else 0.64


def measure(text: str, kind: str) -> float:
    """Width of `text` in pixels, rather too much than too little."""
    return sum(map(_em, text)) * SIZES[kind] * (1.08 if kind in _BOLD else 1.0)


def fit(text: str, width: float, kind: str) -> str:
    """`text`, cut off with an ellipsis where it is wider than `width`."""
    if measure(text, kind) <= width:
        return text
    while text and measure(text + _ELLIPSIS, kind) > width:
        text = text[:-1]
    return text.rstrip() + _ELLIPSIS


def wrap(text: str, width: float, kind: str) -> Iterator[str]:
    """`text` broken between words into lines no wider than `width`; a longer word is cut off."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and measure(longer, kind) > width:
            yield fit(line, width, kind)
            line = word
        else:
            line = longer
    yield fit(line, width, kind)
