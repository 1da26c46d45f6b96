"""Arguments that are ids refuse those of another kind of thing, on every cloud."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hpc_components.catalog.id_forms import IdForms
from hpc_components.cloud import CLOUDS, cloud_named

GUID = "01234567-89ab-cdef-0123-456789abcdef"
PLACEHOLDERS = {
    "<subscription>": GUID, "<project>": "my-project", "<region>": "us-central1", "<id>": GUID, "<vault>": "my-vault",
    "<number, or latest>": "latest",
}  # fmt: skip

NO_IDS = {
    "aws": {
        "BucketRef.name", "HomeFilesystemArgs.clients", "ConfigBucketArgs.files", "Network.zone_names",
        "SlurmHeadNodeArgs.availability_zone",
    },
    "azure": {"ConfigBucketArgs.files", "LogStore.address"},
    "gcp": {"ConfigBucketArgs.files"},
}  # fmt: skip
"""Names in a description, contents of files, addresses and zones."""


def id_forms(cloud: str) -> IdForms:
    return import_module(f"{cloud_named(cloud).package}.catalog.id_forms").ID_FORMS


def arguments(cloud: str) -> dict[str, type]:
    """The classes of arguments of a cloud's components, and of what these hand to one another."""
    package = cloud_named(cloud).package
    files = [*Path(import_module(package).__path__[0]).glob("*/*.py")]
    names = [f"{package}.{path.parent.name}.{path.stem}" for path in files if "checked_args" in path.read_text()]
    modules = [import_module(name) for name in (f"{package}.ports", *sorted(names))]
    return {
        name: made
        for module in modules
        for name, made in vars(module).items()
        if is_dataclass(made)
        and isinstance(made, type)
        and made.__module__ == module.__name__
        and "checked_args" in getattr(getattr(made, "__post_init__", None), "__qualname__", "")
    }


def example(forms: IdForms, kind: str) -> str:
    text = forms.forms[kind].example
    for placeholder, value in PLACEHOLDERS.items():
        text = text.replace(placeholder, value)
    return re.sub(r"<[^>]+>", "sample", text)


def shaped(field: Any, value: str) -> Any:
    if "Mapping" in str(field.type):
        return {"a": value}
    return (value,) if "tuple" in str(field.type) else value


def made_with(made: type, field: Any, value: str) -> str:
    """The refusal of a value, or nothing. The other arguments are of no declared type, which is judged after ids."""
    given = {each.name: object() for each in fields(made)} | {field.name: shaped(field, value)}
    try:
        made(**given)
    except ValueError as refused:
        return "" if " is of type object" in str(refused) else str(refused)
    return ""


def id_fields(cloud: str) -> Iterator[tuple[type, Any, tuple[str, ...]]]:
    for name, made in arguments(cloud).items():
        for field in fields(made):
            if kinds := id_forms(cloud).fields.get(f"{name}.{field.name}"):
                yield made, field, kinds


@pytest.mark.parametrize("cloud", CLOUDS)
def test_each_example_has_the_form_of_its_kind_alone(cloud: str) -> None:
    forms = id_forms(cloud)
    for kind in forms.forms:
        found = [other for other, form in forms.forms.items() if form.matches(example(forms, kind))]
        assert found in ([kind], []), kind


@pytest.mark.parametrize("cloud", CLOUDS)
def test_an_id_of_another_kind_is_refused_with_the_place_and_the_way_out(cloud: str) -> None:
    forms = id_forms(cloud)
    told = {kind: example(forms, kind) for kind, form in forms.forms.items() if form.matches(example(forms, kind))}
    assert len(told) >= 12
    for made, field, taken in id_fields(cloud):
        path = f"{made.__name__}.{field.name}"
        for kind, text in told.items():
            said = made_with(made, field, text)
            is_refused = said.startswith(path) and f"{text!r} is {forms.forms[kind].title}; use " in said
            assert is_refused == (kind not in taken), (path, kind, said)
        for kind in taken:
            assert not made_with(made, field, example(forms, kind)), (path, kind)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_argument_that_may_be_an_id_has_a_form(cloud: str) -> None:
    looks_like_id = re.compile(r"(^|_)(ids?|arns?|image|images|account|project|policy|profile|bucket|bucket_name)$")
    found = {
        f"{name}.{field.name}"
        for name, made in arguments(cloud).items()
        for field in fields(made)
        if "Awaitable" in str(field.type) or (looks_like_id.search(field.name) and "str" in str(field.type))
    }
    known = set(id_forms(cloud).fields)
    assert found - known == NO_IDS[cloud] & found
    there = {f"{name}.{field.name}" for name, made in arguments(cloud).items() for field in fields(made)}
    assert known <= there
    assert {kind for kinds in id_forms(cloud).fields.values() for kind in kinds} <= set(id_forms(cloud).forms)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_what_has_no_known_form_passes(cloud: str) -> None:
    for made, field, _ in id_fields(cloud):
        assert not made_with(made, field, "made-by-hand")
