from collections.abc import Iterable

from hpc_components.wording import plural

BUDGET = 60_000
"""Default maximum body size in bytes. GitHub's limit of 65,536 characters leaves room for additional text."""

_CLOSE = "\n</details>\n"


class Body:
    """Text to which whole items are added as long as they fit.

    Args:
        budget: maximum size of `text` in UTF-8 bytes; must leave room for the sentence that ends a truncated text.
        pointer: Markdown with a command that shows the full text. Used in the sentence that ends a truncated text.
    """

    def __init__(self, budget: int, pointer: str) -> None:
        self._text = ""
        self._cut = f"\n_More did not fit here; {pointer} shows all._\n"
        self._left = budget - len(self._cut.encode())
        self._is_full = False
        self._is_cut = False

    @property
    def text(self) -> str:
        return self._text + (self._cut if self._is_cut else "")

    @property
    def room(self) -> int:
        """Bytes left for the next item."""
        return 0 if self._is_full else self._left

    def add(self, item: str, close: str = "") -> bool:
        """Add `item` if there is room for it and for `close` after it. Return whether it was added.

        After the first item that does not fit, no more items are added.
        """
        size = len((item + close).encode())
        if self._is_full or size > self._left:
            self._is_full = self._is_cut = True
            return False
        self._text += item
        self._left -= size
        return True

    def section(self, title: str, items: Iterable[str], share: float = 1) -> None:
        """Add a heading and items. The items may use at most the fraction `share` of the remaining bytes."""
        if self.add(f"\n### {title}\n\n"):
            self._fill(items, share)

    def details(self, title: str, items: Iterable[str], share: float = 1) -> None:
        """Add a section like `section` does, but folded. `title` is HTML and is not escaped."""
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
