"""What is wrong is one sentence on stderr that names the place and the way out; never a traceback."""

from pathlib import Path

import pytest

from tests.cli.running import error, hpc

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
    (root / "Pulumi.latin.yaml").write_bytes(CLUSTER.encode() + b"    tags: {a: \xe9}\n")
    return root


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("validate tab", "Pulumi.tab.yaml:5:1: this is not YAML: "),
        ("validate twice", "Pulumi.twice.yaml:6:5: the key 'region' is there twice; remove one"),
        ("validate open", "Pulumi.open.yaml:10:9: this is not YAML: while parsing a flow mapping, "),
        ("validate deep", "Pulumi.deep.yaml:1:53: this is nested more than 50 levels deep; flatten it"),
        ("validate bomb", "Pulumi.bomb.yaml:1:4: aliases make this grow without end; "),
        ("validate empty", "Pulumi.empty.yaml:1:1: the file is empty; describe a cluster under config, hpc:cluster"),
        ("validate bare", "Pulumi.bare.yaml describes no cluster: it has no hpc:cluster under config; `hpc schema`"),
        ("validate other", "Pulumi.other.yaml describes no cluster: "),
        ("validate two", "Pulumi.two.yaml:11:1: this is not YAML: expected a single document"),
        ("validate date", "Pulumi.date.yaml:11:19: Pulumi reads 2026-01-31 as a point in time; put it in quotes"),
        ("validate latin", "Pulumi.latin.yaml:11:15: this is not UTF-8 text; save it as UTF-8"),
        ("validate rihgt", "there is no stack 'rihgt' in .; did you mean right?"),
        ("validate right none.yaml", "none.yaml can't be read: No such file or directory; name a stack or its file"),
        ("validate program/", "program can't be read: Is a directory; name a stack or its file"),
        ("preview tab", "Pulumi.tab.yaml:5:1: this is not YAML: "),
        ("preview rihgt", "there is no stack 'rihgt' in .; did you mean right?"),
        ("preview right --out program", None),
        ("preview right --out Pulumi.yaml/x --format json", "Pulumi.yaml/x can't be written: "),
        ("rules HPC-NAM-03", "there is no rule HPC-NAM-03; did you mean HPC-NAM-003?"),
        ("rules whatever", "there is no rule whatever; `hpc rules` lists them"),
        ("machines --name nothing-like-it", "no machine type in the catalogue has all that; leave out an option"),
        ("machines --name c7i --gpu H100 --format json", "no machine type in the catalogue has all that; leave out"),
        ("machines --region us-easst-2", "'us-easst-2' is no region that we know; did you mean us-east-2?"),
        ("machines --region use2-az2", "'use2-az2' is no region that we know; did you mean us-east-2?"),
        ("machines --region Mars", "'Mars' is no region that we know; known are af-south-1, "),
        ("machines --gpu H1O0", "'H1O0' is no accelerator that we know; did you mean H100?"),
        ("machines --gpu h1o0 --format json", "'h1o0' is no accelerator that we know; did you mean H100?"),
        ("machines --fabric infinband", "'infinband' is no fabric that we know; did you mean infiniband?"),
    ],
)
def test_one_sentence(project: Path, arguments: str, sentence: str | None) -> None:
    if sentence is None:  # refused by click, which adds the usage
        done = hpc(*arguments.split(), cwd=project)
        assert (done.returncode, done.stderr.splitlines()[-1][:6]) == (2, "Error:")
    else:
        assert error(*arguments.split(), cwd=project).startswith(sentence)


@pytest.mark.parametrize("command", ["validate", "preview right", "preview ./Pulumi.right.yaml", "rehearse right"])
def test_outside_a_project(tmp_path: Path, command: str) -> None:
    (tmp_path / "Pulumi.right.yaml").write_text(CLUSTER)
    sentence = error(*command.split(), cwd=tmp_path)
    assert (
        sentence == f"no Pulumi.yaml in {tmp_path} or above; run this inside a project, or name a stack file of one"
    )


def test_in_a_project_without_stacks(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: new\nruntime: python\n")
    assert error("validate", cwd=tmp_path) == (
        f"there are no stack files in {tmp_path}; `hpc schema` prints what goes into one"
    )


@pytest.mark.parametrize(
    "arguments", ["wrong", "preview", "validate --format xml", "completion tcsh", "machines --x"]
)
def test_wrong_usage_shows_the_usage(arguments: str) -> None:
    done = hpc(*arguments.split())
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: hpc")
    assert "Traceback" not in done.stderr
