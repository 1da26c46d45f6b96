"""Detects ids of the wrong kind by their form."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForm:
    """The form of a particular kind of a cloud's ids."""

    title: str
    """Name of the kind of id, for messages, e.g. "the id of a subnet"."""
    example: str
    matches: Callable[[str], bool] = lambda _: False
    """Return whether a string has this form. Always False for kinds that are plain names: those of a bucket and a key
    pair, for example, look alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForms:
    """The forms of a cloud's ids, and which of them each argument of its components accepts."""

    forms: Mapping[str, IdForm]
    """Maps each kind of id to its form."""
    fields: Mapping[str, tuple[str, ...]]
    """Maps `<class>.<argument>` to the kinds of ids that the argument accepts."""

    def check(self, field: str, value: object) -> None:
        """Raise ValueError, with the place and a remedy, if `value` has the form of an id that `field` doesn't
        accept.

        Strings with an unknown form pass. So do Outputs, because their values are not known yet.
        """
        taken = self.fields.get(field)
        for path, text in _texts(field, value) if taken else ():
            kinds = [kind for kind, form in self.forms.items() if form.matches(text)]
            if taken and kinds and not set(kinds).intersection(taken):
                wanted = " or ".join(f"{self.forms[kind].title}, like {self.forms[kind].example}" for kind in taken)
                raise ValueError(f"{path}: {text!r} is {self.forms[kinds[0]].title}; give {wanted}")


def _texts(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield (path, string) for each plain string in an argument."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _texts(f"{path}[{index}]", item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(f"{path}[{key!r}]", item)
