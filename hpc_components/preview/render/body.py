"""A Markdown text that keeps a budget of bytes: what does not fit is left out whole, item by item."""

from collections.abc import Iterable

from hpc_components.wording import plural

__all__ = ["BUDGET", "Body"]

BUDGET = 60_000
"""Bytes of a body. GitHub takes 65,536 characters of a comment; a caller may have a word of its own to add."""

_CLOSE = "\n</details>\n"


class Body:
    """Text that grows by whole items while they fit.

    Args:
        budget: most UTF-8 bytes of `text`; at least those of the sentence with `pointer`.
        pointer: what shows all, as Markdown: the subject of the sentence that ends a text that was cut.
    """

    def __init__(self, budget: int, pointer: str) -> None:
        self.text = ""
        self._cut = f"\n_More did not fit here; {pointer} shows all._\n"
        self._budget = budget
        self._left = budget - len(self._cut.encode()) - len(_CLOSE.encode())
        self._full = False

    @property
    def room(self) -> int:
        """Bytes that an item may still have."""
        return 0 if self._full else max(self._left, 0)

    def add(self, item: str) -> bool:
        """Add `item` if it fits; nothing more fits after one that did not."""
        size = len(item.encode())
        if self._full or size > self._left:
            if not self._full:
                self.text += self._cut
            self._full = True
            return False
        self.text += item
        self._left -= size
        return True

    def section(self, title: str, items: Iterable[str], share: float = 1) -> None:
        """A heading with its items, which take at most `share` of the whole budget."""
        if self.add(f"\n### {title}\n\n"):
            self._fill(items, share)

    def details(self, title: str, items: Iterable[str], share: float = 1) -> None:
        """A folded section. `title` is HTML, and stands for itself."""
        if self.add(f"\n<details><summary>{title}</summary>\n\n"):
            self._left -= len(_CLOSE.encode())
            self._fill(items, share)
            self.text += _CLOSE

    def _fill(self, items: Iterable[str], share: float) -> None:
        remaining, room = list(items), share * self._budget
        for index, item in enumerate(remaining):
            room -= len(item.encode())
            if room < 0:
                self.add(f"\n_{plural(len(remaining) - index, 'more item')} did not fit here._\n")
                return
            if not self.add(item):
                return
