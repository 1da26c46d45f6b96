"""Every example description is one to begin from: judged, planned alone, and like no other."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

from hpc_components.preview.stack import plan_file
from hpc_components.spec.project import open_stack_file, project_of

EXAMPLES = Path(__file__).parents[2] / "examples"
DESCRIPTIONS = sorted((EXAMPLES / "descriptions").glob("*.yaml"))
OF_THE_ACCOUNT = {"HPC-QTA-001", "HPC-QTA-002", "HPC-QTA-008", "HPC-BUD-008", "HPC-OSI-024"}
"""Warnings that a file can't avoid: quotas of a new account, how fast money goes, and the age of the default image
that a Lustre client fits."""


@pytest.mark.parametrize("file", DESCRIPTIONS, ids=lambda file: file.stem)
def test_it_plans_alone_and_nothing_is_to_be_mended(file: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(file, tmp_path))
    planned = plan_file(project_of(copy), open_stack_file(copy))
    assert planned.plan is not None, planned.judgement.errors
    assert [each for each in planned.plan.findings if each["level"] == "error"] == []
    assert {each.id for each in planned.judgement.findings if each.level == "warning"} <= OF_THE_ACCOUNT
    assert len(list(planned.plan.resources)) > 50


def test_no_two_share_a_name_or_addresses() -> None:
    clusters = [yaml.safe_load(file.read_text())["config"]["hpc:cluster"] for file in DESCRIPTIONS]
    networks = [one["network"].get("cidr") or one["network"]["existing"]["cidr"] for one in clusters]
    assert len({one["name"] for one in clusters}) == len(set(networks)) == len(DESCRIPTIONS)


def test_the_page_lists_them_all() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(descriptions/(\S+)\)", page)) == {file.name for file in DESCRIPTIONS}
    folders = {file.parent.name for file in EXAMPLES.glob("*/__main__.py")}
    assert set(re.findall(r"\]\(([\w-]+)/__main__\.py\)", page)) == folders
