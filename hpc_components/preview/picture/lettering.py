"""Estimates the width of text. The reader's font is unknown, so estimates are on the wide side."""

import re
from collections.abc import Iterator

SIZES = {"title": 14.0, "line": 12.5, "chip": 11.0, "label": 12.0}
"""Maps each kind of text to its font size in pixels."""

_BOLD = {"title", "label"}
_ELLIPSIS = "…"
_WIDTHS = {
    " ,.:;'|!/\\ijl": 0.34, "()[]-": 0.40, "frt\"·": 0.42, "I": 0.30,
    "ckszvxyJ": 0.60, "LF": 0.58, "EPST": 0.66, "CGDHNOQU": 0.79, "w≥+=~<>×_": 0.84, "mMW@%—…": 1.0,
}  # fmt: skip
"""Widths of characters in em. For all other characters, the width is 0.70 for capitals, 1 for square scripts such as
Chinese, and 0.64 otherwise."""
_EM = {character: width for characters, width in _WIDTHS.items() for character in characters}


def _em(character: str) -> float:
    if ord(character) > 0x2E80:
        return 1.0
    return _EM.get(character, 0.70 if character.isupper() else 0.64)


def measure(text: str, kind: str) -> float:
    """Return the width of `text` in pixels when set in DejaVu Sans, the widest of the common fonts."""
    return sum(map(_em, text)) * SIZES[kind] * (1.11 if kind in _BOLD else 1.0)


def fit(text: str, width: float, kind: str) -> str:
    if measure(text, kind) <= width:
        return text
    while text and measure(text + _ELLIPSIS, kind) > width:
        text = text[:-1]
    return text.rstrip() + _ELLIPSIS


def wrap(text: str, width: float, kind: str) -> Iterator[str]:
    """Yield `text` in lines no wider than `width`.

    Lines are broken between words. Words that are too long are broken after punctuation if possible, or else
    anywhere.
    """
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if measure(longer, kind) <= width:
            line = longer
            continue
        if line:
            yield line
        *full, line = _pieces(word, width, kind)
        yield from full
    yield fit(line, width, kind)


def _pieces(word: str, width: float, kind: str) -> Iterator[str]:
    piece = ""
    for part in re.findall(r"[^-./_]*[-./_]|[^-./_]+", word):
        if measure(piece + part, kind) <= width:
            piece += part
            continue
        if piece:
            yield piece
        piece = ""
        for character in part:
            if piece and measure(piece + character, kind) > width:
                yield piece
                piece = ""
            piece += character
    yield piece
