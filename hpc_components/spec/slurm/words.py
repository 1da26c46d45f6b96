import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.spec.slurm.keys import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmWords:
    """The words that a slurm.conf key accepts."""

    name: str
    scope: Scope
    many: bool
    """Whether the value is a comma-separated list."""
    exact: bool
    """Whether the words are case-sensitive."""
    added: bool
    """Whether the words are plugin names. The user's own packages may contain further plugins."""
    unknown: Literal["fatal", "ignored"]
    """What Slurm's daemons do with an unknown word: refuse to start (`fatal`) or ignore the word."""
    words: tuple[str, ...]
    """Words that all releases recognize, in the order in which messages list them."""
    some: Mapping[str, tuple[str, ...]]
    """Maps words that only some releases recognize to those releases."""
    also: str | None
    """Pattern of additional values that are accepted, if any."""
    source: str
    as_of: str

    def known(self, version: str) -> tuple[str, ...]:
        return (*self.words, *(word for word, releases in self.some.items() if version in releases))

    def unknown_words(self, text: str, version: str) -> Iterator[str]:
        if self.also and re.fullmatch(self.also, text, 0 if self.exact else re.IGNORECASE):
            return
        known = {self._folded(word) for word in self.known(version)}
        for word in text.split(",") if self.many else [text]:
            if word and self._folded(word) not in known:
                yield word

    def releases(self, word: str) -> tuple[str, ...]:
        """Return the releases that recognize a word in `some`, or an empty tuple for any other word."""
        folded = self._folded(word)
        return next((tuple(known) for one, known in self.some.items() if self._folded(one) == folded), ())

    def _folded(self, word: str) -> str:
        return word if self.exact else word.lower()


def slurm_words(scope: Scope, name: str) -> SlurmWords | None:
    """Return the words that a key accepts, or None if the key has no fixed vocabulary. The key's case is ignored."""
    return _words().get((scope, name.lower()))


@cache
def _words() -> dict[tuple[Scope, str], SlurmWords]:
    found = {}
    for record in records("words", __file__):
        scope, words = record.pop("kind"), tuple(record.pop("words"))
        found[scope, record["name"].lower()] = SlurmWords(scope=scope, words=words, **record)
    return found
