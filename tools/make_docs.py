"""Writes the reference pages from the code: docs/cluster.md and a page for each cloud from the models, docs/rules.md
from the rules, docs/components.md from the components, docs/pictures/aws-cfd.svg from that stack's plan, the
tables in docs/elastic.md, and the alerts in docs/watch.md.

`--check` writes nothing and exits with 1 if a page is out of date.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cluster_docs import cloud_page, cluster_page
from component_docs import components_page
from doctor_docs import doctor_page
from elastic_docs import elastic_page
from watch_docs import watch_page

from hpc_components.cloud import CLOUDS
from hpc_components.preview.render.html import render_picture
from hpc_components.preview.stack import plan_stack
from hpc_components.spec.project import find_project
from hpc_components.spec.rule import RuleText
from hpc_components.spec.rule_list import listed_rules

DOCS = Path(__file__).resolve().parent.parent / "docs"


def rules_page() -> str:
    """Return the page with all rules and their reasons."""
    lines = [
        "# Rules\n",
        "`hpc validate` applies these rules to a description, and `hpc preview` those called `HPC-INP-...` to the "
        "inputs of resources. `hpc preflight` asks an account about those called `HPC-PRE-...`. `hpc rules ID` "
        "prints one. To silence one, write its id with a reason under `silence` in the description. Made from the "
        "code by `make docs`.\n",
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


def picture() -> str:
    """Return the picture at the beginning of the README."""
    plan = plan_stack(find_project(DOCS), "aws-cfd").plan
    assert plan is not None, "the stack aws-cfd has errors"
    return render_picture(plan)


PAGES: dict[str, Callable[[], str]] = {
    "cluster.md": cluster_page,
    **{f"cluster-{cloud}.md": partial(cloud_page, cloud) for cloud in CLOUDS},
    "components.md": components_page,
    "doctor.md": partial(doctor_page, DOCS / "doctor.md"),
    "elastic.md": partial(elastic_page, DOCS / "elastic.md"),
    "watch.md": partial(watch_page, DOCS / "watch.md"),
    "rules.md": rules_page,
    "pictures/aws-cfd.svg": picture,
}


def main() -> None:
    """Write the pages, or list those that are out of date."""
    stale = [name for name, page in PAGES.items() if not _is_current(DOCS / name, page())]
    if "--check" in sys.argv[1:]:
        sys.exit(f"out of date: {', '.join(stale)}; run `make docs`" if stale else 0)
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")


def _is_current(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    main()
