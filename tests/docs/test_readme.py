"""What the documents tell people to type works as written."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from hpc_components.spec.source import read_yaml
from hpc_components.spec.validate import judge
from tests.cli.running import hpc
from tests.repositories import git

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/README.md",
    "docs/tutorial.md",
    "docs/convert.md",
    "docs/troubleshooting.md",
    "docs/components.md",
    "docs/cluster.md",
    "docs/cluster-aws.md",
    "docs/cluster-azure.md",
    "docs/cluster-gcp.md",
    "docs/public.md",
    "examples/README.md",
    "docs/preview.md",
    "docs/testing.md",
    "docs/operate.md",
    "docs/people.md",
    "docs/aws.md",
    "docs/azure.md",
    "docs/gcp.md",
    "docs/architecture.md",
    "docs/slurm.md",
    "docs/elastic.md",
    "docs/rehearse.md",
    "docs/boot.md",
    "docs/style.md",
)
WALKED = ("docs/tutorial.md", "docs/convert.md")
"""Their commands build on one another: tests/wheel/test_tutorial.py and tests/docs/test_convert_page.py run them."""


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(*starts: str) -> list[str]:
    lines = [
        line for page in PAGES if page not in WALKED for block in blocks(page, "sh") for line in block.splitlines()
    ]
    plain = (re.sub(r"\s+#.*", "", line).strip() for line in lines)
    return sorted({line for line in plain if line.startswith(starts)})


DIFFS = commands("hpc diff")
REFRESHING = commands("hpc catalog refresh", ".venv/bin/hpc catalog refresh")
"""They ask the clouds: tests/cli/test_catalog.py runs them with servers of its own."""


@pytest.mark.parametrize(
    "line", [line for line in commands(".venv/bin/hpc", "hpc") if line not in (*DIFFS, *REFRESHING)]
)
def test_a_command_of_the_readme_runs(line: str, tmp_path: Path) -> None:
    _, *words = shlex.split(line)
    if "--out" in words:
        place = words.index("--out") + 1
        (tmp_path / "build").mkdir()  # as `make demo` does, with which the README begins
        words[place] = str(tmp_path / words[place])
    done = hpc(*words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", REFRESHING)
def test_prices_are_asked_for(line: str, repository: Path) -> None:
    _, *words = shlex.split(line)
    done = hpc(*words, cwd=repository, env={"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": ""})
    assert done.returncode == 2
    assert "fetching" in done.stderr
    assert "can't reach" in done.stderr
    assert not (repository / "hpc-prices").exists()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster on `main`, and with more nodes on `my-branch`, which is checked out; their plans beside it."""
    folder = tmp_path_factory.mktemp("clusters")

    stack = (ROOT / "stacks/config/Pulumi.aws-cfd.yaml").read_text(encoding="utf-8")
    (folder / "Pulumi.yaml").write_text("name: clusters\nruntime: python\n", encoding="utf-8")
    (folder / ".gitignore").write_text("*.json\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    for text, plan, branch in (
        (stack, "before", "main"),
        (stack.replace("max: 16", "max: 18"), "after", "my-branch"),
    ):
        git(folder, "checkout", "-q", "-B", branch)
        (folder / "Pulumi.aws-cfd.yaml").write_text(text, encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", plan)
        done = hpc("preview", "aws-cfd", "--format", "json", "--out", f"{plan}.json", cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


OF_PULUMI = [line for line in DIFFS if "--pulumi" in line or "--state" in line]


@pytest.mark.parametrize("line", [line for line in DIFFS if line not in OF_PULUMI])
def test_a_change_is_told(line: str, repository: Path) -> None:
    _, *words = shlex.split(line)
    done = hpc(*words, cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr
    told = (repository / words[words.index("--out") + 1]).read_text() if "--out" in words else done.stdout
    assert "queues[0].max" in told


@pytest.mark.parametrize("line", OF_PULUMI)
def test_what_pulumi_wrote_is_told(line: str, repository: Path) -> None:
    preview = (ROOT / "tests/review/engine/documents/changes.json").read_text(encoding="utf-8")
    (repository / "preview.json").write_text(preview.replace("urn:pulumi:dev::", "urn:pulumi:aws-cfd::"), "utf-8")
    urn = "urn:pulumi:aws-cfd::clusters::pulumi:pulumi:Stack::clusters-aws-cfd"
    state = {"deployment": {"resources": [{"urn": urn, "type": "pulumi:pulumi:Stack"}]}}
    (repository / "state.json").write_text(json.dumps(state), encoding="utf-8")
    done = hpc(*shlex.split(line)[1:], cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " to create" in done.stdout


def test_the_comparison_in_the_readme_is_that_of_today() -> None:
    (table,) = blocks("README.md", "text")
    assert hpc("compare", "aws-cfd", "azure-hbv4", "gcp-h3").stdout.strip("\n") == table.strip("\n")


def test_every_make_target_is_there() -> None:
    for line in commands("make"):
        done = subprocess.run(["make", "-n", *shlex.split(line)[1:]], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, line


def test_the_demo_ends_with_what_to_do_next(tmp_path: Path) -> None:
    """The recipe as it is, in a folder where each program succeeds at once."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for program in ("tools/system_packages.sh", ".venv/bin/hpc"):
        (tmp_path / program).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "--old-file=.venv/.aws", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    told = done.stdout.partition("\nNext:\n")[2].splitlines()
    first = [re.split(r"\s{2,}", line.strip())[0] for line in told]
    assert first == [
        "build/aws-cfd.html", ".venv/bin/hpc rehearse aws-cfd --fault spot", ".venv/bin/hpc init", "docs/tutorial.md"
    ]  # fmt: skip
    assert (ROOT / "docs/tutorial.md").is_file()


def test_ci_is_make_test_and_nothing_else() -> None:
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "exec make test"


def test_the_readme_begins_with_what_sets_everything_up() -> None:
    first = blocks("README.md", "sh")[0].split()
    assert first[:2] == ["make", "demo"]
    assert "test" in first


@pytest.mark.parametrize("block", [text for text in blocks("README.md", "yaml") if "hpc:cluster" in text])
def test_a_description_has_no_error(block: str) -> None:
    assert judge(read_yaml(block, "README.md").below("config", "hpc:cluster")).errors == ()


@pytest.mark.parametrize("block", blocks("README.md", "python"))
def test_a_program_of_the_readme_has_no_input_fault(block: str) -> None:
    from hpc_components.testing import assert_no_input_faults, record

    recording = record(lambda: exec(compile(block, "README.md", "exec"), {}), config={"aws:region": "us-east-2"})
    assert recording.resources
    assert_no_input_faults(recording)


def test_the_index_has_every_page() -> None:
    listed = set(re.findall(r"\]\(([\w.-]+\.md)\)", (ROOT / "docs/README.md").read_text(encoding="utf-8")))
    assert listed == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (ROOT / page).parent.joinpath(target).exists(), target
    headings = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert anchor in headings, anchor


@pytest.mark.parametrize("page", PAGES)
def test_every_link_into_another_page_leads_to_a_heading(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]+\.md)#([^)]+)\)", text):
        other = (ROOT / page).parent.joinpath(target).read_text(encoding="utf-8")
        headings = [re.sub(r"[^\w\- ]", "", each.lower()) for each in re.findall(r"^#+ (.*)$", other, re.MULTILINE)]
        assert anchor in {heading.replace(" ", "-") for heading in headings}, f"{target}#{anchor}"
