import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NameForm:
    """The format of one kind of name. `characters`, `first` and `last` are the contents of regular-expression
    character classes.
    """

    kind: str
    title: str
    """Phrase for this kind of name in messages, e.g. "a bucket's name"."""
    shortest: int
    longest: int
    characters: str
    first: str
    last: str
    says: str
    """Description of the allowed characters, for the remedy."""
    single: str | None = None
    """A character that must not occur twice in a row."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()

    def mistake(self, name: str) -> tuple[str, str] | None:
        """Return (reason, remedy) if the cloud would refuse `name`, otherwise None."""
        if not self.shortest <= len(name) <= self.longest:
            return (
                f"{name!r} has {len(name)} characters",
                f"{self.title} must have {self.shortest} to {self.longest} characters",
            )
        if bad := re.search(f"[^{self.characters}]", name):
            reason = f"{self.title} can't contain {bad[0]!r}"
        elif not re.match(f"[{self.first}]", name):
            reason = f"{self.title} can't begin with {name[0]!r}"
        elif not re.fullmatch(f"[{self.last}]", name[-1]):
            reason = f"{self.title} can't end with {name[-1]!r}"
        elif self.single and self.single * 2 in name:
            reason = f"{self.title} can't have two {self.single} in a row"
        else:
            return None
        proposed = self._proposed(name)
        return reason, f"use {self.says}" + (f": {proposed}" if proposed and not self.mistake(proposed) else "")

    def _proposed(self, name: str) -> str:
        """Return the name without disallowed characters. The result may be empty."""
        lower = name if re.fullmatch(f"[{self.characters}]", "A") else name.lower()
        filler = self.single or ("-" if re.fullmatch(f"[{self.characters}]", "-") else "")
        found = re.sub(f"[^{self.characters}]+", filler, lower)
        if self.single:
            found = re.sub(f"{re.escape(self.single)}+", self.single, found)
        found = re.sub(f"^[^{self.first}]+", "", found)
        return re.sub(f"[^{self.last}]+$", "", found)
