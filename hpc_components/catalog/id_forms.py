from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForm:
    title: str
    """Phrase for this kind of id in messages, e.g. "the id of a subnet"."""
    example: str
    matches: Callable[[str], bool] = lambda _: False
    """Returns whether a string has this format. Always False for plain names, because their formats are not
    distinctive: a bucket's name, for example, looks like a key pair's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForms:
    forms: Mapping[str, IdForm]
    """Maps each kind of id to its format."""
    fields: Mapping[str, tuple[str, ...]]
    """Maps `<class>.<argument>` to the kinds of ids that the argument accepts."""

    def check(self, field: str, value: object) -> None:
        """Raise ValueError, with the place and a remedy, if `value` has the format of an id that `field` doesn't
        accept.

        Strings with an unknown format pass. So do Outputs, because their values are not known yet.
        """
        taken = self.fields.get(field)
        for path, text in _texts(field, value) if taken else ():
            kinds = [kind for kind, form in self.forms.items() if form.matches(text)]
            if taken and kinds and not set(kinds).intersection(taken):
                wanted = " or ".join(f"{self.forms[kind].title}, like {self.forms[kind].example}" for kind in taken)
                raise ValueError(f"{path}: {text!r} is {self.forms[kinds[0]].title}; use {wanted}")


def _texts(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _texts(f"{path}[{index}]", item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(f"{path}[{key!r}]", item)
