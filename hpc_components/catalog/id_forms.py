"""By their form: ids of one kind of thing that stand where another kind is wanted."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["IdForm", "IdForms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForm:
    """How a cloud writes the ids of one kind of thing."""

    title: str
    """As in "the id of a subnet"."""
    example: str
    matches: Callable[[str], bool] = lambda _: False
    """Whether a text has this form. Never, for plain names: nothing tells a bucket's from a key pair's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForms:
    """The forms of a cloud's ids, and which of them the arguments of its components take."""

    forms: Mapping[str, IdForm]
    """By kind."""
    fields: Mapping[str, tuple[str, ...]]
    """The kinds that an argument takes, by `<class>.<argument>`."""

    def check(self, field: str, value: object) -> None:
        """ValueError with the place and the way out where `value` has the form of another kind than `field` takes.

        A text of no known form passes, and so does an Output, whose value is not known yet.
        """
        taken = self.fields.get(field)
        for path, text in _texts(field, value) if taken else ():
            kinds = [kind for kind, form in self.forms.items() if form.matches(text)]
            if taken and kinds and not set(kinds).intersection(taken):
                wanted = " or ".join(f"{self.forms[kind].title}, like {self.forms[kind].example}" for kind in taken)
                raise ValueError(f"{path}: {text!r} is {self.forms[kinds[0]].title}; give {wanted}")


def _texts(path: str, value: object) -> Iterator[tuple[str, str]]:
    """The plain texts in an argument, each with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _texts(f"{path}[{index}]", item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(f"{path}[{key!r}]", item)
