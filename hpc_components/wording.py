"""Formats counts, lists of names and spelling suggestions for messages. Imports nothing else from this package."""

from collections.abc import Iterable
from functools import cache


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, e.g. `1 zone`, `3 zones` or `1,000 zones`. The noun's plural must end in `s`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def any_of(names: Iterable[str], most: int = 4) -> str:
    """Join distinct names with `or`, e.g. `a, b or c`. If there are more than `most` names, count the remaining ones,
    e.g. `a, b (3 more)`.
    """
    names = list(dict.fromkeys(names))
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} ({rest} more)"
    return " or ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def listed(names: Iterable[str], most: int) -> str:
    """Join names with commas. If there are more than `most` names, count the remaining ones, e.g. `a, b and 3
    more`.
    """
    names = list(names)
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def closest_word(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that is most similar to a misspelt word, ignoring case, or None if no word is similar
    enough.

    A word with the same letters in a different order takes precedence, because swapped letters are the most common
    typo. `cutoff` is the minimum similarity, from 0 to 1. Source: Python's difflib, get_close_matches.
    """
    return _nearest(word.lower(), tuple(known), cutoff)


def did_you_mean(word: str, known: Iterable[str], otherwise: str, cutoff: float = 0.6) -> str:
    """Return a remedy for a misspelt word: suggest the most similar known word, or return `otherwise` if no word is
    similar enough.
    """
    near = closest_word(word, known, cutoff)
    return f"did you mean {near}?" if near else otherwise


@cache  # the same typo is often repeated in every queue
def _nearest(word: str, known: tuple[str, ...], cutoff: float) -> str | None:
    from difflib import get_close_matches  # rarely needed, so imported only here

    folded = {each.lower(): each for each in reversed(known)}
    near = get_close_matches(word, folded, cutoff=cutoff)
    best = min(near, key=lambda each: sorted(each) != sorted(word), default=None)
    return folded[best] if best else None
