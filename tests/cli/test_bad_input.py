"""What is wrong is one sentence on stderr that names the place and the way out; never a traceback."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hpc_components.cli import main
from tests.cli.running import HPC, error, hpc, on_terminal

CLUSTER = """\
config:
  hpc:cluster:
    cloud: aws
    name: cfd
    region: us-east-2
    zone: use2-az2
    network: {cidr: 10.20.0.0/16}
    head_node: {machine: c6i.xlarge}
    queues:
      - {name: cpu, machine: c7i.large, max: 1}
"""

FILES = {
    "Pulumi.yaml": "name: bad\nruntime: python\nmain: program\n",
    "Pulumi.right.yaml": CLUSTER,
    "Pulumi.tab.yaml": CLUSTER.replace("    region", "\tregion"),
    "Pulumi.twice.yaml": CLUSTER.replace("zone:", "region:"),
    "Pulumi.open.yaml": CLUSTER.replace("1}", "1"),
    "Pulumi.deep.yaml": "a: " + "[" * 100_000,
    "Pulumi.bomb.yaml": "a: &a [*a]\n",
    "Pulumi.empty.yaml": "",
    "Pulumi.bare.yaml": "config:\n",
    "Pulumi.other.yaml": "config:\n  aws:region: us-east-2\n",
    "Pulumi.two.yaml": CLUSTER + "---\n" + CLUSTER,
    "Pulumi.date.yaml": CLUSTER + "    tags: {since: 2026-01-31}\n",
    "program/__main__.py": "import pulumi\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bad")
    (root / "program").mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    for name in ("fifo.yaml", "Pulumi.fifo.yaml"):
        os.mkfifo(root / name)
    for name in ("round.yaml", "Pulumi.round.yaml"):
        (root / name).symlink_to(name)
    with (root / "huge.yaml").open("wb") as huge:
        huge.truncate(2**40)
    (root / "Pulumi.latin.yaml").write_bytes(CLUSTER.encode() + b"    tags: {a: \xe9}\n")
    return root


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("validate tab", "Pulumi.tab.yaml:5:1: this is not valid YAML: "),
        ("validate twice", "Pulumi.twice.yaml:6:5: the key 'region' appears twice; remove one of them"),
        ("validate open", "Pulumi.open.yaml:10:9: this is not valid YAML: while parsing a flow mapping, "),
        ("validate deep", "Pulumi.deep.yaml:1:53: this is nested more than 50 levels deep; flatten it"),
        ("validate bomb", "Pulumi.bomb.yaml:1:4: aliases expand to too many values or levels here;"),
        (
            "validate empty",
            "Pulumi.empty.yaml:1:1: the file is empty; describe a cluster under hpc:cluster in config",
        ),
        (
            "validate bare",
            "Pulumi.bare.yaml describes no cluster: there is no hpc:cluster under config; run `hpc schema`",
        ),
        ("validate other", "Pulumi.other.yaml describes no cluster: "),
        ("validate two", "Pulumi.two.yaml:11:1: this is not valid YAML: expected a single document"),
        ("validate date", "Pulumi.date.yaml:11:19: Pulumi reads 2026-01-31 as a timestamp; put it in quotes"),
        ("validate latin", "Pulumi.latin.yaml:11:15: the file is not UTF-8 text; save it as UTF-8"),
        ("validate rihgt", "there is no stack 'rihgt' in .; did you mean right?"),
        ("validate none.yaml", "can't read none.yaml: No such file or directory; specify a stack or its file"),
        ("validate program/", "can't read program: Is a directory; specify a stack or its file"),
        ("preview tab", "Pulumi.tab.yaml:5:1: this is not valid YAML: "),
        ("preview rihgt", "there is no stack 'rihgt' in .; did you mean right?"),
        ("preview right --out program", None),
        ("preview right --out Pulumi.yaml/x --format json", "can't write Pulumi.yaml/x: "),
        ("rules HPC-NMA-003", "HPC-NMA-003 is not a rule or topic; did you mean HPC-NAM-003?"),
        ("rules whatever", "whatever is not a rule or topic; topics are ACC, AML, BKT, BUD, CAP, CPP, DIR, DSK, "),
        ("rules NTE", "NTE is not a rule or topic; did you mean NET?"),
        (
            "preview right --out none/x",
            "can't write none/x: the folder none does not exist; create it with: mkdir -p none",
        ),
        (
            "render right --out none/x",
            "can't write none/x: the folder none does not exist; create it with: mkdir -p none",
        ),
        (
            "machines --name nothing-like-it",
            "no machine type in the catalogue matches all options; remove one of the options",
        ),
        (
            "machines --name c7i --gpu H100 --format json",
            "no machine type in the catalogue matches all options; remove",
        ),
        ("machines --region us-easst-2", "'us-easst-2' is not a known region; did you mean us-east-2?"),
        ("machines --region use2-az2", "'use2-az2' is not a known region; did you mean us-east-2?"),
        ("machines --region Mars", "'Mars' is not a known region; known: af-south-1, "),
        ("machines --gpu H1O0", "'H1O0' is not a known accelerator; did you mean H100?"),
        ("machines --gpu h1o0 --format json", "'h1o0' is not a known accelerator; did you mean H100?"),
        ("machines --fabric infinband", "'infinband' is not a known fabric; did you mean infiniband?"),
    ],
)
def test_bad_input_is_answered_with_one_sentence(project: Path, arguments: str, sentence: str | None) -> None:
    if sentence is None:  # refused by click, which adds the usage
        done = hpc(*arguments.split(), cwd=project)
        assert (done.returncode, done.stderr.splitlines()[-1][:6]) == (2, "Error:")
    else:
        assert error(*arguments.split(), cwd=project).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("validate fifo.yaml", "can't read fifo.yaml: It is a pipe, not a file; specify a stack or its file"),
        ("validate fifo", "can't read Pulumi.fifo.yaml: It is a pipe, not a file; "),
        ("preview fifo.yaml", "can't read fifo.yaml: It is a pipe, not a file; "),
        ("render ./fifo.yaml", "can't read fifo.yaml: It is a pipe, not a file; "),
        ("rehearse ./fifo.yaml", "can't read fifo.yaml: It is a pipe, not a file; "),
        ("rehearse right --job fifo.yaml", "can't read fifo.yaml: It is a pipe, not a file; --job takes a job"),
        ("rehearse right --job /dev/zero", "can't read /dev/zero: It is a device, not a file; --job takes a job"),
        ("rehearse right --job huge.yaml", "can't read huge.yaml: It is larger than 4 MiB; --job takes a job"),
        ("validate /dev/zero", "can't read /dev/zero: It is a device, not a file; "),
        ("validate huge.yaml", "can't read huge.yaml: It is larger than 4 MiB; "),
        ("validate round.yaml", "can't read round.yaml: Too many levels of symbolic links; "),
        ("preview round.yaml", "can't read round.yaml: Too many levels of symbolic links; "),
        ("validate round", "can't read Pulumi.round.yaml: Too many levels of symbolic links; "),
        ("rehearse right --out none/x", "can't write none/x: the folder none does not exist; create it with:"),
    ],
)
def test_what_is_no_file_is_not_waited_for(
    project: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, sentence: str
) -> None:
    monkeypatch.chdir(project)
    done = CliRunner().invoke(main, arguments.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: {sentence}")


@pytest.mark.parametrize(
    "arguments",
    [["validate", ""], ["render", "right", "--out", ""], ["render", "right", "--out="], ["machines", "--gpu", ""]],
)
def test_an_empty_argument_is_a_variable_that_was_not_set(
    project: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(project)
    before = sorted(project.iterdir())
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: an argument is empty; remove it, or check for an unset shell variable")
    assert sorted(project.iterdir()) == before


def test_a_sentence_is_wrapped_at_words_on_a_terminal() -> None:
    shown = on_terminal("machines", "--gpu", "zzz", columns=50, code=2).replace("\r\n", "\n")
    assert max(map(len, shown.splitlines())) <= 50
    assert shown.split() == ["Error:", *error("machines", "--gpu", "zzz").split()]


@pytest.mark.parametrize("command", ["validate", "preview right", "rehearse right"])
def test_outside_a_project_it_says_what_to_do(tmp_path: Path, command: str) -> None:
    (tmp_path / "Pulumi.right.yaml").write_text(CLUSTER)
    sentence = error(*command.split(), cwd=tmp_path)
    assert sentence == (
        f"there is no Pulumi.yaml in {tmp_path} or any parent directory; specify a stack file (Pulumi.<stack>.yaml), "
        "run this command inside a project, or create a project with `hpc init`"
    )


def test_a_project_without_stacks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: new\nruntime: python\n")
    assert error("validate", cwd=tmp_path) == ("there are no stack files in .; run `hpc init` to create one")


def test_a_project_without_a_cluster_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: new\nruntime: python\n")
    (tmp_path / "Pulumi.web.yaml").write_text("config: {own:word: x}\n")
    done = hpc("validate", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "skipped Pulumi.web.yaml, which has no key hpc:cluster",
        "Error: no stack in . has the key hpc:cluster; run `hpc schema` to see what this key may contain",
    ]


def test_a_current_directory_that_is_gone_is_an_error(tmp_path: Path) -> None:
    """Links in a circle and a directory that is not there make `Path.resolve` raise."""
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        ["bash", "-c", f"cd gone && rmdir ../gone && {HPC} validate"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (
        2,
        "Error: the current directory has been deleted; change to one that exists\n",
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("machines --cores -1", "Invalid value for '--cores': -1 is not in the range x>=0."),
        ("machines --memory -1", "Invalid value for '--memory': -1.0 is not in the range x>=0."),
        (
            "machines --memory nan",
            "Invalid value for '--memory': nan is not an amount of memory; specify the number of GiB",
        ),
        ("rehearse right --nodes 0", "Invalid value for '--nodes': 0 is not in the range x>=1."),
    ],
)
def test_no_number_is_less_than_nothing(arguments: str, sentence: str) -> None:
    done = CliRunner().invoke(main, arguments.split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"Error: {sentence}"


NASTY = CLUSTER.replace("name: cpu", r'name: "c\e[31mp\n::error::u\u202E"').replace("max: 1", "max: 4000")
NASTY += '    tags: {"\\e[2J": 1}\n'


@pytest.mark.parametrize("arguments", ["validate nasty.yaml", "validate nasty.yaml --format github"])
def test_nothing_in_a_description_reaches_the_terminal_as_a_command(tmp_path: Path, arguments: str) -> None:
    (tmp_path / "nasty.yaml").write_text(NASTY)
    shown = hpc(*arguments.split(), cwd=tmp_path).stdout
    assert {"HPC-QTA-001", "HPC-SLM-025", "HPC-NAM-002", "HPC-FRM-003"} <= set(re.findall(r"HPC-\w+-\d+", shown))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "queue c\\x1b[31mp" in shown
    assert r"tags.\x1b[2J" in shown
    assert "\n::error::u" not in shown


def test_json_holds_what_was_written_and_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    (tmp_path / "nasty.yaml").write_text(NASTY)
    text = hpc("validate", "nasty.yaml", "--format", "json", cwd=tmp_path).stdout
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    values = [each.get("value") for each in json.loads(text)["clusters"][0]["findings"]]
    assert "c\x1b[31mp\n::error::u\u202e" in values


def test_the_name_of_a_file_is_no_command_either(tmp_path: Path) -> None:
    assert error("validate", "a\x1b[31m.yaml", cwd=tmp_path).startswith(r"can't read a\x1b[31m.yaml: ")


@pytest.mark.parametrize(
    "arguments", ["wrong", "preview", "validate --format xml", "completion tcsh", "machines --x"]
)
def test_wrong_usage_shows_the_usage(arguments: str) -> None:
    done = hpc(*arguments.split())
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: hpc")
    assert "Traceback" not in done.stderr
