"""Wording of counts, lists of names and spelling suggestions in messages. Imports nothing else from the package."""

from collections.abc import Iterable
from functools import cache


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, whose plural must end in `s`: `1 zone`, `3 zones`, `1,000 zones`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def any_of(names: Iterable[str], most: int = 4) -> str:
    """Return distinct names as a choice: `a, b or c`; names beyond `most` are only counted: `a, b (3 more)`."""
    names = list(dict.fromkeys(names))
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} ({rest} more)"
    return " or ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def listed(names: Iterable[str], most: int) -> str:
    """Return names as a list; beyond `most` names the rest is counted: `a, b and 3 more`."""
    names = list(names)
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def closest_word(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word most similar to a misspelt one, ignoring case; None if no word is similar enough.

    A word with the same letters in another order takes precedence, since swapped letters are the commonest typo.

    `cutoff` is the minimum similarity, from 0 to 1. Source: Python's difflib, get_close_matches.
    """
    return _nearest(word.lower(), tuple(known), cutoff)


def did_you_mean(word: str, known: Iterable[str], otherwise: str, cutoff: float = 0.6) -> str:
    """Return the remedy for a misspelt word: the most similar known word, or `otherwise` if no word is similar."""
    near = closest_word(word, known, cutoff)
    return f"did you mean {near}?" if near else otherwise


@cache  # the same typo is often in every queue
def _nearest(word: str, known: tuple[str, ...], cutoff: float) -> str | None:
    from difflib import get_close_matches  # only needed for a message

    folded = {each.lower(): each for each in reversed(known)}
    near = get_close_matches(word, folded, cutoff=cutoff)
    best = min(near, key=lambda each: sorted(each) != sorted(word), default=None)
    return folded[best] if best else None
