from pathlib import Path

import pytest

from hpc_components.spec.project import PROGRAM, find_project, open_stack_file, project_of
from hpc_components.spec.source import Position, UnreadableError

CLUSTER = "config:\n  hpc:cluster:\n    cloud: aws\n  other:key: 3\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with its program and stack files in folders of their own; the current directory."""
    (tmp_path / "Pulumi.yaml").write_text("name: hpc\nruntime: python\nmain: program\nstackConfigDir: stacks\n")
    (tmp_path / "program" / "deep").mkdir(parents=True)
    (tmp_path / "stacks").mkdir()
    for stack in ("aws-cfd", "aws-dev"):
        (tmp_path / "stacks" / f"Pulumi.{stack}.yaml").write_text(CLUSTER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(file: Path, content: bytes | str) -> str:
    """What is said of a stack file with this content."""
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UnreadableError) as caught:
        _ = open_stack_file(file).cluster
    return str(caught.value)


@pytest.mark.parametrize("below", [".", "program", "program/deep", "stacks"])
def test_a_project_is_found_from_anywhere_in_it(project: Path, below: str) -> None:
    found = find_project(project / below)
    assert (found.root, found.name) == (project, "hpc")
    assert (found.main, found.stack_dir) == (project / "program", project / "stacks")
    assert found.stacks == ("aws-cfd", "aws-dev")


@pytest.mark.parametrize("extra", ["", "main:\nstackConfigDir: null\n"])
def test_program_and_stacks_are_beside_the_project_file_unless_it_says_otherwise(tmp_path: Path, extra: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text(f"name: hpc\nruntime: python\n{extra}")
    found = find_project(tmp_path)
    assert found.main == found.stack_dir == tmp_path


def test_without_a_project_it_names_the_folder_searched(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableError,
        match=r"^there is no Pulumi.yaml in .* or any parent directory; specify a stack file .*`hpc init`$",
    ):
        find_project(tmp_path)


@pytest.mark.parametrize(
    ("runtime", "is_ours"),
    [("python", True), ("{name: python, options: {virtualenv: .venv}}", True), ("nodejs", False), ("yaml", False)],
)
def test_a_project_without_a_program_has_ours_unless_its_own_is_in_another_language(
    tmp_path: Path, runtime: str, is_ours: bool
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(f"name: mine\nruntime: {runtime}\n")
    (tmp_path / "Pulumi.a.yaml").write_text(CLUSTER)
    (tmp_path / "Pulumi.b.yaml").write_text("config: {}\n")
    found = find_project(tmp_path)
    assert found.program(found.open("a")) == (PROGRAM if is_ours else tmp_path)
    assert found.program(found.open("b")) == tmp_path
    (tmp_path / "__main__.py").touch()
    assert found.program(found.open("a")) == tmp_path
    assert (PROGRAM / "__main__.py").is_file()


def test_a_file_outside_of_any_project_stands_alone(tmp_path: Path, project: Path) -> None:
    assert project_of(project / "stacks/Pulumi.aws-cfd.yaml") == find_project(project)
    (project / "Pulumi.yaml").unlink()
    alone = project_of(Path("stacks/Pulumi.aws-cfd.yaml"))
    assert (alone.root, alone.stack_dir, alone.main) == (project / "stacks", project / "stacks", PROGRAM)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"- a\n", "Pulumi.yaml is not a Pulumi project"),
        (b'a: "b\n', "Pulumi.yaml:1:4: this is not valid YAML"),
        (b"name: \xff\n", "Pulumi.yaml:1:7: the file is not UTF-8"),
        (b"", "Pulumi.yaml:1:1: the file is empty; a Pulumi project file needs the keys name and runtime"),
    ],
)
def test_a_broken_project_file_is_told(project: Path, content: bytes, words: str) -> None:
    (project / "Pulumi.yaml").write_bytes(content)
    with pytest.raises(UnreadableError) as caught:
        find_project(project)
    assert str(caught.value).startswith(words)


def test_an_unknown_stack_is_answered_with_the_nearest_or_all(project: Path) -> None:
    found = find_project(project)
    with pytest.raises(UnreadableError, match=r"^there is no stack 'aws-cdf' in stacks; did you mean aws-cfd\?$"):
        found.open("aws-cdf")
    with pytest.raises(UnreadableError, match=r"^there is no stack 'x' in stacks; stacks are aws-cfd, aws-dev$"):
        found.open("x")
    for file in (project / "stacks").iterdir():
        file.unlink()
    with pytest.raises(UnreadableError, match="the directory has no stack files yet"):
        found.open("x")


def test_a_stack_file_gives_its_cluster_with_positions_of_the_whole_file(project: Path) -> None:
    file = find_project(project).open("aws-cfd")
    assert file.stack == "aws-cfd"
    assert file.config == {"hpc:cluster": {"cloud": "aws"}, "other:key": 3}
    assert file.cluster.data == {"cloud": "aws"}
    assert file.cluster.file == "stacks/Pulumi.aws-cfd.yaml"
    assert file.cluster.position(("cloud",)) == Position(3, 12)


@pytest.mark.parametrize(
    "content", ["config:\n", "config: null\n", "config: []\n", "config: 3\n", "- a\n", "word\n", "config: {a:b: 1}\n"]
)
def test_a_file_without_a_cluster_is_told(tmp_path: Path, content: str) -> None:
    message = refusal(tmp_path / "Pulumi.x.yaml", content)
    assert "Pulumi.x.yaml describes no cluster: there is no hpc:cluster under config; run `hpc schema`" in message
    assert isinstance(open_stack_file(tmp_path / "Pulumi.x.yaml").config, dict)


def test_text_that_is_not_utf8_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("Pulumi.x.yaml")
    assert refusal(file, "a: 1\nb: é".encode() + b"\xe9\n").startswith("Pulumi.x.yaml:2:5: the file is not UTF-8")
    assert refusal(file, "a: 1\n".encode("utf-16")).startswith("Pulumi.x.yaml:1:1: the file is not UTF-8")


def test_a_windows_file_reads_as_any_other(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.x.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + CLUSTER.replace("\n", "\r\n").encode())
    assert open_stack_file(file).cluster.position(("cloud",)) == Position(3, 12)


def test_a_directory_or_a_missing_file_is_told(project: Path) -> None:
    with pytest.raises(UnreadableError, match=r"^can't read program: Is a directory; specify a stack or its file$"):
        open_stack_file(Path("program"))
    with pytest.raises(UnreadableError, match=r"^can't read none.yaml: No such file or directory; specify"):
        open_stack_file(Path("none.yaml"))
