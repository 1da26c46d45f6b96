"""Writes the reference pages from the code: docs/cluster.md from the models, docs/rules.md from the rules,
docs/components.md from the components, docs/pictures/aws-cfd.svg from that stack's plan, and the decision table in
docs/elastic.md.

`--check` writes nothing and exits 1 if a page is not up to date.
"""

import re
import sys
from collections.abc import Collection, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from component_docs import components_page
from pydantic_core import PydanticUndefined

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.elastic.decide.table import TABLE
from hpc_components.preview.render.html import render_picture
from hpc_components.preview.stack import plan_stack
from hpc_components.spec.model import Model
from hpc_components.spec.project import find_project
from hpc_components.spec.rule import RuleText
from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.shape import field_docs, models_in, type_name

_LINKED = re.compile(r"(?<!`)\b(?!Size|Duration)[A-Z]\w+")
"""Names of models in the name of a type; between backquotes stand values."""

DOCS = Path(__file__).resolve().parent.parent / "docs"


def cluster_page() -> str:
    """Every key of a stack file."""
    models = list(dict.fromkeys(_walk(AwsClusterSpec)))
    intro = (
        "# A cluster, key by key\n\n"
        "All keys that can stand under `hpc:cluster` in a `Pulumi.<stack>.yaml`; the first table has the top level, "
        "and links lead to what stands below. Whole clusters are in [examples](../examples/README.md). "
        "`hpc validate` checks a description, `hpc schema` prints this page as a JSON schema for editors. Made from "
        "the models by `make docs`.\n\n"
        "A Size is written `100GiB`, `1.2TiB` or `1200GB`, a Duration `10m`, `2d` or `1h30m`. Zones are ids, the "
        "same for every account (`use2-az2`; `aws ec2 describe-availability-zones`). Machine types: `hpc machines`.\n"
    )
    return "\n".join([intro, *(_section(model) for model in models)])


def _walk(model: type[Model]) -> Iterator[type[Model]]:
    yield model
    for field in model.model_fields.values():
        for below in models_in(field.rebuild_annotation()):
            yield from _walk(below)


def _section(model: type[Model]) -> str:
    docs = field_docs(model)
    title = "The cluster" if model is AwsClusterSpec else model.__name__
    about = " ".join((model.__doc__ or "").split())
    rows = [_row(name, field, docs.get(name, "")) for name, field in model.model_fields.items()]
    head = "| key | what it takes | default | meaning |\n| --- | --- | --- | --- |"
    return "\n".join([f"## {title}\n", f"{about}\n", head, *rows, ""])


def _row(name: str, field: Any, meaning: str) -> str:
    default = "**required**" if field.is_required() else _default(field)
    kind = _LINKED.sub(lambda name: f"[{name[0]}](#{name[0].lower()})", type_name(field.rebuild_annotation()))
    return f"| `{name}` | {kind} | {default} | {meaning.replace('|', chr(92) + '|')} |"


def _default(field: Any) -> str:
    value = field.default
    if value is None or value is PydanticUndefined or value in ((), {}):
        return ""
    if isinstance(value, Model):
        given = value.model_dump(mode="json", exclude_unset=True)
        return ", ".join(f"`{key}: {part}`" for key, part in given.items())
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"`{shown.lower() if isinstance(value, bool) else shown}`"


def rules_page() -> str:
    """Every rule with its reason."""
    lines = [
        "# Rules\n",
        "`hpc validate` applies these rules to a description, and `hpc preview` those called `HPC-INP-...` to the "
        "inputs of resources. `hpc rules ID` prints one. To silence one, write its id with a reason under `silence` "
        "in the description. Made from the code by `make docs`.\n",
        "| id | level | what must hold |",
        "| --- | --- | --- |",
        *(f"| {_linked(rule)} | {rule.level} | {rule.title} |" for rule in listed_rules().values()),
        "",
    ]
    for rule in filter(_is_explained, listed_rules().values()):
        lines += [f"### {rule.id}\n", f"{rule.title}. ({rule.level})\n", rule.explanation, ""]
    return "\n".join(lines).rstrip() + "\n"


def _linked(rule: RuleText) -> str:
    return f"[{rule.id}](#{rule.id.lower()})" if _is_explained(rule) else rule.id


def _is_explained(rule: RuleText) -> bool:
    return bool(rule.explanation)


def elastic_page() -> str:
    """The page as it is, with the table that the daemon looks up."""
    before, mark, rest = (DOCS / "elastic.md").read_text(encoding="utf-8").partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of table -->\n")
    rows = [
        f"| {_any_of(row.slurm)} | {_any_of(row.cloud)} | {_any_of(row.age)} | {row.action.value} | {row.why} |"
        for row in TABLE
    ]
    head = "\n| Slurm says | the cloud has | for | what is done | why |\n| --- | --- | --- | --- | --- |\n"
    return before + mark + head + "\n".join(rows) + "\n\n" + end + after


def _any_of(values: Collection[Enum]) -> str:
    """In the order of their definition; empty if it may be any."""
    (kind,) = {type(value) for value in values}
    return "" if len(values) == len(kind) else "; ".join(value.value for value in kind if value in values)


def picture() -> str:
    """The drawing on the README's first screen."""
    plan = plan_stack(find_project(DOCS), "aws-cfd").plan
    assert plan is not None, "the stack aws-cfd has errors"
    return render_picture(plan)


PAGES = {
    "cluster.md": cluster_page,
    "components.md": components_page,
    "elastic.md": elastic_page,
    "rules.md": rules_page,
    "pictures/aws-cfd.svg": picture,
}


def main() -> None:
    """Write the pages, or say which are not up to date."""
    stale = [name for name, page in PAGES.items() if not _is_current(DOCS / name, page())]
    if "--check" in sys.argv[1:]:
        sys.exit(f"not up to date: {', '.join(stale)}; run `make docs`" if stale else 0)
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")


def _is_current(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
