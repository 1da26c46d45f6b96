import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from hpc_components import aws
from hpc_components.cloud import CLOUDS
from hpc_components.spec.parsing import model_of
from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.schema_walk import models_in

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def make_docs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import make_docs  # ty: ignore[unresolved-import]

    return make_docs


def test_the_reference_pages_are_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "make_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stale_page_is_named_and_then_made_anew(
    make_docs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_docs, "DOCS", tmp_path)
    monkeypatch.setattr(make_docs, "PAGES", {name: make_docs.PAGES[name] for name in ("cluster.md", "rules.md")})
    (tmp_path / "cluster.md").write_text(make_docs.cluster_page(), encoding="utf-8")
    (tmp_path / "rules.md").write_text("old", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["make_docs.py", "--check"])
    with pytest.raises(SystemExit, match=r"^out of date: rules.md; run `make docs`$"):
        make_docs.main()
    assert (tmp_path / "rules.md").read_text() == "old"
    monkeypatch.setattr(sys, "argv", ["make_docs.py"])
    make_docs.main()
    assert capsys.readouterr().out == "wrote docs/rules.md\n"
    assert (tmp_path / "rules.md").read_text(encoding="utf-8") == make_docs.rules_page()


def test_every_rule_is_on_its_page(make_docs: ModuleType) -> None:
    page = make_docs.rules_page()
    rows = re.findall(r"^\| \[?(HPC-[A-Z]{3}-\d{3})", page, re.MULTILINE)
    assert rows == sorted(listed_rules())
    explained = [rule.id for rule in listed_rules().values() if rule.explanation]
    assert re.findall(r"^### (\S+)$", page, re.MULTILINE) == explained
    assert {"HPC-NET-003", "HPC-INP-002"} <= set(explained)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_field_of_every_model_is_on_its_page(make_docs: ModuleType, cloud: str) -> None:
    page = make_docs.PAGES[f"cluster-{cloud}.md"]()
    todo, seen = [model_of(cloud)], []
    while todo:
        model = todo.pop()
        seen.append(model)
        section = page.partition(f"## {'The cluster' if model is model_of(cloud) else model.__name__}\n")[2]
        rows = re.findall(r"^\| `(\w+)` \|", section.partition("\n## ")[0], re.MULTILINE)
        assert rows == list(model.model_fields)
        for field in model.model_fields.values():
            todo += [below for below in models_in(field.rebuild_annotation()) if below not in (*seen, *todo)]
    assert len(seen) > 15


def test_keys_that_only_some_clouds_have_are_listed(make_docs: ModuleType) -> None:
    rows = make_docs.cluster_page().splitlines()
    assert "| `queues[].max_spot_price` | yes | yes |  |" in rows
    assert "| `storage.<name>.kms_key` (nfs) | yes |  | yes |" in rows
    assert "| `buckets.<name>.folders` |  |  | yes |" in rows
    assert not [row for row in rows if row.startswith(("| `queues[].machine`", "| `iam.role_path`"))]


def test_every_component_is_on_its_page_with_all_its_arguments(make_docs: ModuleType) -> None:
    page = make_docs.components_page()
    for name in aws.__all__:
        if name.endswith("Args"):
            section = page.partition(f"### {name.removesuffix('Args')}\n")[2].partition("\n### ")[0]
            table = section.partition("| argument |")[2].partition("\n\n")[0]
            assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [f.name for f in fields(getattr(aws, name))]
            assert f"type `hpc:aws:{name.removesuffix('Args')}`" in section
        else:
            assert f"\n### {name}\n" in page
    assert re.findall(r"^\| `.* \|  \|$", page, re.MULTILINE) == [], "an argument or output without a docstring"
    assert "| `nat` | `one` or `per_zone` or `none` | `'one'` |" in page
    assert "| `root` | [RootDisk](#rootdisk) | **required** |" in page


def _pages(make_docs: ModuleType) -> list[str]:
    return [page() for name, page in make_docs.PAGES.items() if name.startswith(("cluster", "components", "rules"))]


def test_links_lead_to_sections(make_docs: ModuleType) -> None:
    for page in _pages(make_docs):
        headings = {heading.lower() for heading in re.findall(r"^#{2,3} (.+)$", page, re.MULTILINE)}
        assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= headings


def test_every_row_has_the_columns_of_its_table(make_docs: ModuleType) -> None:
    for page in _pages(make_docs):
        for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1, table[:200]
