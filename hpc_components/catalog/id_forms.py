"""Detection of ids of the wrong kind, by their form."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForm:
    """How a cloud writes the ids of one kind of thing."""

    title: str
    """As in "the id of a subnet"."""
    example: str
    matches: Callable[[str], bool] = lambda _: False
    """Whether a text has this form. Never for plain names: a bucket's and a key pair's look alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForms:
    """The forms of a cloud's ids, and the forms that each argument of its components accepts."""

    forms: Mapping[str, IdForm]
    """By kind."""
    fields: Mapping[str, tuple[str, ...]]
    """The kinds that an argument takes, by `<class>.<argument>`."""

    def check(self, field: str, value: object) -> None:
        """Raise ValueError, with the place and the remedy, if `value` has the form of a kind that `field` does not
        accept.

        A text of unknown form passes, and so does an Output, whose value is not known yet.
        """
        taken = self.fields.get(field)
        for path, text in _texts(field, value) if taken else ():
            kinds = [kind for kind, form in self.forms.items() if form.matches(text)]
            if taken and kinds and not set(kinds).intersection(taken):
                wanted = " or ".join(f"{self.forms[kind].title}, like {self.forms[kind].example}" for kind in taken)
                raise ValueError(f"{path}: {text!r} is {self.forms[kinds[0]].title}; give {wanted}")


def _texts(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the plain texts in an argument, each with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _texts(f"{path}[{index}]", item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(f"{path}[{key!r}]", item)
