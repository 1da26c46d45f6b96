"""Generates docs/components.md from the components, their arguments and their docstrings."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import pulumi

from hpc_components import ports
from hpc_components.attribute_docs import attribute_docs, plain_doc
from hpc_components.cloud import CLOUDS, cloud_named

_INTRO = (
    "# Components\n\n"
    "`Cluster` makes a whole cluster from its description. Each of the others can be used alone: it takes plain ids, "
    "or outputs of another component. `Vpc(name, VpcArgs(...), opts)`, `Vpc(name, {...}, opts)` with a dict and "
    "`Vpc(name, cidr=..., opts=opts)` with keywords are the same; parts of arguments may be dicts too. A value that "
    "the cloud would refuse raises ValueError with its path. `Input[...]` takes a value or an Output; what decides "
    "which resources there are takes plain values only, so a preview shows all of them. Whole programs: "
    "[examples](../examples/README.md). Made from the docstrings by `make docs`.\n\n"
    "Options (`pulumi.ResourceOptions`) hold for all that is in a component, as far as Pulumi hands them down: "
    "provider, `protect`, `retain_on_delete`, `transformations`. With `retain` a component protects and keeps what "
    "holds data, unless its own options say otherwise; without, it says nothing of that.\n\n"
    "## What must be there first\n\n"
    "An output is known before all that belongs to it is there: a subnet's id before its routes, a security group's "
    "before its rules, the name of a bucket before its files, the host of a file system before its mount targets. "
    "Pulumi waits for the output alone. So compose with `depends_on`; a component stands for all that is in it, and "
    "a destroy goes the other way round. `hpc_components.resource_options.depends_on(opts, vpc, home)` writes it; a "
    "`Cluster` has all of it.\n\n"
    "| component | give it `depends_on` with | without |\n| --- | --- | --- |\n"
    "| `LustreFilesystem`, `HomeFilesystem` | the network, or `SecurityGroups` | the cloud may refuse a file system "
    "whose security group has no rules yet |\n"
    "| `SlurmHeadNode`, `LoginNodeNLB` | the network, file systems, `ConfigBucket`, and on Google Cloud "
    "`FirewallRules` | nodes boot before what they fetch and mount is there, and give up; an address on the internet "
    "is refused while the network has no gateway |\n"
    "| `SlurmHeadNode` | also the fleets, and `NodeReaper` where that says so | a destroy takes away what nodes "
    "still use |\n"
)


def components_page() -> str:
    """Return the page with the public classes of each cloud's package, and the values that components exchange."""
    parts = [_INTRO]
    for cloud in map(cloud_named, CLOUDS):
        package = import_module(cloud.package)
        classes = {name: getattr(package, name) for name in package.__all__}
        made = {name: one for name, one in classes.items() if issubclass(one, pulumi.ComponentResource)}
        own = {name: one for name, one in classes.items() if is_dataclass(one) and not name.endswith("Args")}
        values = {name: one for name, one in own.items() if not issubclass(one, ports.Tags)}
        parts += [f"## Components of {cloud.title}\n", _contents(made)]
        parts += _cluster(package, made.pop("Cluster"))
        parts += [part for name, one in made.items() for part in _component(package, name, classes[f"{name}Args"])]
        parts += [f"## Values of {cloud.title}\n", "Parts of arguments.\n"]
        parts += [part for name, one in values.items() for part in (f"### {name}\n", _about(one), _arguments(one))]
        parts += _handed(f"Ports of {cloud.title}", import_module(f"{cloud.package}.ports"))
    parts += _handed("Ports of any cloud", ports)
    return _linked("\n".join(parts).rstrip() + "\n")


def _contents(classes: Mapping[str, type]) -> str:
    rows = [f"| [{name}](#{name.lower()}) | {_about(one).split(chr(10))[0]} |" for name, one in classes.items()]
    return "\n".join(["| component | what it makes |", "| --- | --- |", *rows, ""])


def _handed(title: str, module: ModuleType) -> Iterator[str]:
    yield f"## {title}\n"
    yield f"Values that components hand to one another (`{module.__name__}`). You can make them from ids of yours.\n"
    for name in module.__all__:
        yield from (f"### {name}\n", _about(getattr(module, name)), _arguments(getattr(module, name)))


def _cluster(package: ModuleType, cluster: type) -> Iterator[str]:
    yield f"### {cluster.__name__}\n"
    yield f"`from {package.__name__} import Cluster`: `Cluster(name, description=None, opts=None)`.\n"
    yield _about(cluster)
    yield inspect.cleandoc(cluster.__init__.__doc__ or "") + "\n"
    yield _outputs(*(each for each in reversed(cluster.__mro__) if each.__module__.startswith("hpc_components")))


def _component(package: ModuleType, name: str, arguments: type) -> Iterator[str]:
    component = getattr(package, name)
    source = inspect.getsource(component)
    token = re.search(r'self\._register\(\s*"([^"]+)"', source)
    assert token is not None, f"{name} has no type token"
    yield f"### {name}\n"
    yield f"`from {package.__name__} import {name}, {name}Args`, type `{token[1]}`.\n"
    yield _about(component)
    yield _arguments(arguments)
    yield _outputs(component)


def _outputs(*classes: type) -> str:
    given = {field: text for one in classes for field, text in attribute_docs(one).items()}
    rows = [f"| `{field}` | {kind} | {given.get(field, '')} |" for one in classes for field, kind, _ in _fields(one)]
    return "\n".join(["| output | type | meaning |", "| --- | --- | --- |", *rows, ""]) if rows else ""


def _about(one: type) -> str:
    return plain_doc(one) + "\n"


def _arguments(one: type) -> str:
    meanings = {field: text.replace("|", "\\|") for field, text in attribute_docs(one).items()}
    rows = [
        f"| `{field}` | {kind} | {'**required**' if default is None else default} | {meanings.get(field, '')} |"
        for field, kind, default in _fields(one)
    ]
    return "\n".join(["| argument | type | default | meaning |", "| --- | --- | --- | --- |", *rows, ""])


def _fields(one: type) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, type and default of each public attribute, in the order of the class."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
    assert isinstance(body, ast.ClassDef)
    for line in body.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.target.id[0] != "_":
            module = sys.modules[one.__module__]
            yield line.target.id, _type(line.annotation, module), _default(line.value)


def _type(annotation: ast.expr, module: ModuleType) -> str:
    """Return the type as written in the source, with the values of an enumeration."""
    value = eval(ast.unparse(annotation), vars(module))
    if get_origin(value) is Literal:
        return " or ".join(f"`{word}`" for word in get_args(value))
    text = re.sub(r"\b(?:pulumi|lt)\.", "", ast.unparse(annotation))
    for name in set(re.findall(r"\w+", text)):
        words: Any = getattr(module, name, None)
        if get_origin(words) is Literal:
            text = re.sub(rf"\b{name}\b", " or ".join(map(repr, get_args(words))), text)
    return f"`{text}`".replace("|", "\\|")


def _default(value: ast.expr | None) -> str | None:
    if value is None:
        return None
    text = ast.unparse(value)
    if text in ("None", "()", "''") or "default_factory" in text:
        return ""
    return f"`{text}`"


def _linked(page: str) -> str:
    """Return the page with a link from each use of a type to its section."""
    names = re.findall(r"^### (\w+)$", page, re.MULTILINE)
    return re.sub(
        rf"^(\| `\w+` \| )`({'|'.join(names)})`",
        lambda m: f"{m[1]}[{m[2]}](#{m[2].lower()})",
        page,
        flags=re.MULTILINE,
    )
