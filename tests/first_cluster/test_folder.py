"""What `hpc init` leaves in a folder: a project that plans as it is, in which nothing was overwritten."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from hpc_components.cli import main
from hpc_components.preview.record import Recording
from hpc_components.preview.stack import record_stack
from hpc_components.spec.project import find_project, open_stack_file, project_of

FLAGS = ("--cloud", "aws", "--region", "us-east-2", "--workload", "mpi", "--ssh-from", "none", "--budget", "none")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["init", *arguments])


def made(*arguments: str) -> str:
    done = init(*FLAGS, *arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(*arguments: str) -> str:
    done = init(*arguments)
    assert done.exit_code == 2, done.output
    return done.stderr.removeprefix("Error: ").strip()


def graph(recording: Recording) -> list[tuple[str, object]]:
    return [(each.urn, each.inputs) for each in recording.resources]


def test_it_makes_a_project_and_says_what_to_do_next(folder: Path) -> None:
    told = made("--name", "first")
    files = {"Pulumi.yaml", "requirements.txt", ".gitignore", "__main__.py", "Pulumi.first.yaml"}
    assert {file.name for file in folder.iterdir()} == files
    assert {line.removeprefix("wrote ") for line in told.splitlines() if line.startswith("wrote ")} == files
    assert "0 errors" in told
    for command in ("hpc validate first", "hpc preview first", "hpc rehearse first", "pulumi up -s first"):
        assert f"\n  {command} " in told
    project = yaml.safe_load((folder / "Pulumi.yaml").read_text())
    assert project["runtime"]["options"] == {"toolchain": "pip", "virtualenv": ".venv"}
    assert (folder / "requirements.txt").read_text() == "hpc-components[aws]==0.1.0\n"
    assert len([line for line in (folder / "__main__.py").read_text().splitlines()[1:] if line]) == 2


def test_two_lines_a_program_of_ones_own_and_no_program_at_all_make_the_same(folder: Path) -> None:
    made("--name", "first")
    project = find_project()
    short = graph(record_stack(project, project.open("first")))
    (folder / "__main__.py").unlink()
    (folder / "Pulumi.first.yaml").unlink()
    made("--name", "first", "--program")
    assert 'Cluster("first")' in (folder / "__main__.py").read_text()
    assert graph(record_stack(project, project.open("first"))) == short
    for file in ("__main__.py", "Pulumi.yaml"):
        (folder / file).unlink()
    alone = open_stack_file(folder / "Pulumi.first.yaml")
    without = record_stack(project_of(alone.path), alone)
    assert [each.name for each in without.resources] == [urn.rpartition("::")[2] for urn, _ in short]
    assert len(short) > 50


def test_without_a_terminal_every_missing_flag_is_named(folder: Path) -> None:
    assert refused() == (
        "can't ask questions without a terminal; add --cloud, --region, --workload or --machine, --ssh-from, --budget"
    )
    assert refused(*FLAGS[:-1], "500").endswith("add --notify")
    assert list(folder.iterdir()) == []


def test_a_refused_flag_is_named_and_nothing_is_written(folder: Path) -> None:
    said = refused(*FLAGS, "--machine", "hpc7g.16xlarge")
    assert said.startswith(
        "--machine hpc7g.16xlarge: hpc7g.16xlarge is not available in us-east-2; regions that offer it:"
    )
    assert refused("--region", "moon-1", *FLAGS[4:], "--cloud", "aws").startswith(
        "--region moon-1: the catalogue has no AWS region 'moon-1'"
    )
    assert refused(*FLAGS, "--zone", "use1-az1").startswith("--zone use1-az1: ")
    assert refused(*FLAGS, "--notify", "me@x.org").startswith("--notify me@x.org: this option applies only if")
    assert list(folder.iterdir()) == []


def test_no_file_is_overwritten(folder: Path) -> None:
    for name in (".gitignore", "requirements.txt", "__main__.py"):
        (folder / name).write_text("mine\n")
    told = made("--name", "first")
    assert {line for line in told.splitlines() if line.startswith("kept")} == {
        "kept  .gitignore", "kept  requirements.txt", "kept  __main__.py"
    }  # fmt: skip
    assert (folder / "__main__.py").read_text() == "mine\n"
    before = (folder / "Pulumi.first.yaml").read_text()
    assert "the project already has a cluster named first" in refused(*FLAGS, "--name", "first")
    said = refused(*FLAGS, "--name", "second", "--program")
    assert "__main__.py already exists and won't be overwritten; remove it, or leave out --program" in said
    assert (folder / "Pulumi.first.yaml").read_text() == before
    assert not (folder / "Pulumi.second.yaml").exists()


def test_clusters_of_a_project_share_neither_name_nor_addresses(folder: Path) -> None:
    for _ in range(12):
        made()
    clusters = [yaml.safe_load(file.read_text())["config"]["hpc:cluster"] for file in folder.glob("Pulumi.*.yaml")]
    assert len({one["name"] for one in clusters}) == len({one["network"]["cidr"] for one in clusters}) == 12


def test_a_stack_is_added_to_the_project_around(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "Pulumi.yaml").write_text("name: ours\nruntime: python\nmain: program\nstackConfigDir: stacks\n")
    (folder / "program").mkdir()
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    made("--name", "first")
    assert (folder / "stacks/Pulumi.first.yaml").is_file()
    assert (folder / "program/__main__.py").is_file()
    assert list((folder / "below").iterdir()) == []


def test_a_project_in_another_language_is_left_alone(folder: Path) -> None:
    (folder / "Pulumi.yaml").write_text("name: ours\nruntime: nodejs\n")
    assert (
        refused(*FLAGS)
        == f"the project in {folder} uses the runtime nodejs; run `hpc init` in a new folder outside the project"
    )


def test_the_environment_of_the_folder_is_the_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", str(folder / "env"))
    made("--name", "first")
    assert yaml.safe_load((folder / "Pulumi.yaml").read_text())["runtime"]["options"]["virtualenv"] == "env"
    assert (folder / ".gitignore").read_text() == "env/\n__pycache__/\n"
