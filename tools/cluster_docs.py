"""docs/cluster.md and docs/cluster-<cloud>.md: every key of a description, from the models."""

import re
from collections.abc import Iterator
from typing import Any

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.spec.model import Model
from hpc_components.spec.parsing import model_of
from hpc_components.spec.reference import default_of, keys_of
from hpc_components.spec.schema_walk import field_docs, models_in, type_name

_LINKED = re.compile(r"(?<!`)\b(?!Size|Duration|Day)[A-Z]\w+")
"""Pattern for names of models in a type; values are in backquotes."""


def cluster_page() -> str:
    """Return the page that links to the pages of the clouds, and lists the keys that only some clouds have."""
    pages = " · ".join(f"[{cloud_named(cloud).title}](cluster-{cloud}.md)" for cloud in CLOUDS)
    return (
        "# A cluster, key by key\n\n"
        "All keys that can stand under `hpc:cluster` in a `Pulumi.<stack>.yaml`, one page for each cloud:\n\n"
        f"**{pages}**\n\n"
        "In a terminal, `hpc docs` lists the keys at the top, and `hpc docs queues.purchase` explains one on all "
        "clouds. `hpc schema` prints a JSON schema for editors, `hpc validate` checks a description. Whole clusters "
        "are in [examples](../examples/README.md). These pages are made from the models by `make docs`.\n\n"
        "A Size is written `100GiB`, `1.2TiB` or `1200GB`, a Duration `10m`, `2d` or `1h30m`, a Day `2027-09-30`. "
        "`hpc machines` lists machine types.\n\n"
        "## Keys that not every cloud has\n\n"
        f"| key | {' | '.join(cloud_named(cloud).title for cloud in CLOUDS)} |\n"
        f"| --- |{' --- |' * len(CLOUDS)}\n" + "\n".join(_differing()) + "\n"
    )


def _differing() -> Iterator[str]:
    """Yield a row for each key that some clouds lack, by path and the `type` of its mapping."""
    owners: dict[tuple[str, str], set[str]] = {}
    for key in keys_of():
        owners.setdefault((key.text.path, key.text.kind), set()).update(key.clouds)
    kinds_of: dict[str, set[str]] = {}
    for path, kind in owners:
        kinds_of.setdefault(path, set()).add(kind)
    lacking: list[str] = []
    for (path, kind), clouds in sorted(owners.items()):
        if not kind and len(kinds_of[path]) > 1:
            continue  # counts as the same key of a mapping that has a type on other clouds
        having = clouds | owners.get((path, ""), set())
        if len(having) == len(CLOUDS) or path.startswith(tuple(lacking)):
            continue  # a cloud without a key has none of the keys below it
        if not kind:
            lacking += [f"{path}.", f"{path}["]
        marks = (" yes |" if cloud in having else "  |" for cloud in CLOUDS)
        yield f"| `{path}`{f' ({kind})' if kind else ''} |{''.join(marks)}"


def cloud_page(cloud: str) -> str:
    """Return the page with all keys of a description for one cloud."""
    root = model_of(cloud)
    intro = (
        f"# A cluster on {cloud_named(cloud).title}, key by key\n\n"
        "All keys that can stand under `hpc:cluster` with "
        f"`cloud: {cloud}`; the first table has the top level, and links lead to what stands below. "
        "[cluster.md](cluster.md) has the other clouds and says how sizes are written. Made from the models by "
        "`make docs`.\n"
    )
    models = dict.fromkeys(_walk(root))
    return "\n".join([intro, *(_section(model, is_root=model is root) for model in models)])


def _walk(model: type[Model]) -> Iterator[type[Model]]:
    yield model
    for field in model.model_fields.values():
        for below in models_in(field.rebuild_annotation()):
            yield from _walk(below)


def _section(model: type[Model], *, is_root: bool) -> str:
    docs = field_docs(model)
    about = " ".join((model.__doc__ or "").split())
    rows = [_row(name, field, docs.get(name, "")) for name, field in model.model_fields.items()]
    head = "| key | what it takes | default | meaning |\n| --- | --- | --- | --- |"
    return "\n".join([f"## {'The cluster' if is_root else model.__name__}\n", f"{about}\n", head, *rows, ""])


def _row(name: str, field: Any, meaning: str) -> str:
    default = default_of(field)
    shown = "**required**" if field.is_required() else f"`{default}`" if default else ""
    kind = _LINKED.sub(lambda name: f"[{name[0]}](#{name[0].lower()})", type_name(field.rebuild_annotation()))
    return f"| `{name}` | {kind} | {shown} | {meaning.replace('|', chr(92) + '|')} |"
