"""Markdown text with a maximum size in bytes: what does not fit is left out item by item."""

from collections.abc import Iterable

from hpc_components.wording import plural

BUDGET = 60_000
"""Maximum bytes of a body. GitHub accepts 65,536 characters in a comment, which leaves room for the caller."""

_CLOSE = "\n</details>\n"


class Body:
    """Text that grows by whole items while they fit.

    Args:
        budget: maximum UTF-8 bytes of `text`, at least the size of the last sentence.
        pointer: the command that shows the whole text, as Markdown. A truncated text ends with it.
    """

    def __init__(self, budget: int, pointer: str) -> None:
        self._text = ""
        self._cut = f"\n_More did not fit here; {pointer} shows all._\n"
        self._left = budget - len(self._cut.encode())
        self._is_full = False
        self._is_cut = False

    @property
    def text(self) -> str:
        """The text; its last line says if anything was left out."""
        return self._text + (self._cut if self._is_cut else "")

    @property
    def room(self) -> int:
        """Bytes left for an item."""
        return 0 if self._is_full else self._left

    def add(self, item: str, close: str = "") -> bool:
        """Add `item` if it fits, with room kept for `close`. After an item that did not fit, nothing is added any
        more.
        """
        size = len((item + close).encode())
        if self._is_full or size > self._left:
            self._is_full = self._is_cut = True
            return False
        self._text += item
        self._left -= size
        return True

    def section(self, title: str, items: Iterable[str], share: float = 1) -> None:
        """Add a heading with its items, which take at most `share` of the bytes left."""
        if self.add(f"\n### {title}\n\n"):
            self._fill(items, share)

    def details(self, title: str, items: Iterable[str], share: float = 1) -> None:
        """Add a folded section. `title` is HTML, and is not escaped."""
        if self.add(f"\n<details><summary>{title}</summary>\n\n", _CLOSE):
            self._fill(items, share)
            self._text += _CLOSE

    def _fill(self, items: Iterable[str], share: float) -> None:
        every, room = list(items), share * self._left
        for index, item in enumerate(every):
            room -= len(item.encode())
            if room < 0 and share < 1:
                self._is_cut = True
                self.add(f"\n_{plural(len(every) - index, 'more item')} did not fit here._\n")
                return
            if not self.add(item):
                return
