"""How messages count things, list names and correct misspelt words. Imports nothing of the rest."""

from collections.abc import Iterable
from functools import cache

__all__ = ["any_of", "closest_word", "did_you_mean", "plural"]


def plural(count: int, noun: str) -> str:
    """A count with its noun, whose plural must end in `s`: `1 zone`, `3 zones`, `1,000 zones`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def any_of(names: Iterable[str], most: int = 4) -> str:
    """A choice of names: `a, b or c`. Each name once; of more than `most` the rest is counted: `a, b (3 more)`."""
    names = list(dict.fromkeys(names))
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} ({rest} more)"
    return " or ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def closest_word(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word most similar to a misspelt one, ignoring case; None if no word is similar.

    One with the same letters in another order comes first: swapping two is the commonest slip of all.

    `cutoff` is the least similarity, from 0 to 1. Source: Python's difflib, get_close_matches.
    """
    return _nearest(word.lower(), tuple(known), cutoff)


def did_you_mean(word: str, known: Iterable[str], otherwise: str, cutoff: float = 0.6) -> str:
    """The remedy for a misspelt word: the most similar known word, or `otherwise` if none is similar."""
    near = closest_word(word, known, cutoff)
    return f"did you mean {near}?" if near else otherwise


@cache  # one mistake is often found in every queue
def _nearest(word: str, known: tuple[str, ...], cutoff: float) -> str | None:
    from difflib import get_close_matches  # only needed for a message

    folded = {each.lower(): each for each in reversed(known)}
    near = get_close_matches(word, folded, cutoff=cutoff)
    best = min(near, key=lambda each: sorted(each) != sorted(word), default=None)
    return folded[best] if best else None
