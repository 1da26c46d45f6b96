import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hpc_components.cli import main
from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.schema import json_schema
from tests.cli.running import HPC, ROOT, hpc, on_terminal

COMMANDS = (
    "init",
    "convert",
    "validate",
    "preview",
    "preflight",
    "diff",
    "compare",
    "cost",
    "bill",
    "forecast",
    "render",
    "rehearse",
    "accept",
    "status",
    "nodes",
    "doctor",
    "job",
    "logs",
    "audit",
    "ssh",
    "run",
    "copy",
    "stop",
    "start",
    "machines",
    "images",
    "image",
    "catalog",
    "docs",
    "rules",
    "policy-pack",
    "schema",
    "completion",
)


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_shows_examples_of_each_command(command: str, option: str) -> None:
    done = hpc(*command.split(), option)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(rf"Examples?( \(bash\))?:\n(    mkdir .*\n)?    hpc {command}", done.stdout)


def test_the_commands_are_in_the_order_of_need() -> None:
    listed = hpc("--help").stdout.partition("Commands:\n")[2]
    assert tuple(line.split()[0] for line in listed.splitlines()) == COMMANDS


def test_all_rules_are_listed_by_id() -> None:
    lines = hpc("rules").stdout.splitlines()
    ids = [line.split()[0] for line in lines]
    assert ids == sorted(listed_rules())
    assert {"HPC-FRM-001", "HPC-INP-001", "HPC-NAM-001", "HPC-SIL-004"} <= set(ids)
    assert all(line.split()[1] in ("error", "warning", "info") and len(line.split()) > 3 for line in lines)


def test_a_rule_is_explained() -> None:
    done = hpc("rules", "hpc-nam-001")
    assert done.stdout.startswith(
        "HPC-NAM-001  error\nA cluster name must consist of at most 40 letters, digits and hyphens"
    )
    assert "Source: ParallelCluster" in done.stdout
    assert hpc("rules", "HPC-SIL-004").stdout.startswith(
        "HPC-SIL-004  warning\nEach id under `silence` must have a finding"
    )


@pytest.mark.parametrize("topic", ["NET", "net", "HPC-NET", "hpc-net-"])
def test_a_topic_lists_its_rules(topic: str) -> None:
    whole, found = (CliRunner().invoke(main, ["rules", *what]).stdout.splitlines() for what in ([], [topic]))
    assert found == [line for line in whole if line.startswith("HPC-NET-")]


@pytest.mark.parametrize("what", [(), ("NET",), ("HPC-NET-003",)])
def test_rules_as_json_say_all_that_is_said_of_them(what: tuple[str, ...]) -> None:
    texts = json.loads(CliRunner().invoke(main, ["rules", *what, "--format", "json"]).stdout)["rules"]
    assert [each["id"] for each in texts] == [id for id in sorted(listed_rules()) if not what or what[0] in id]
    known = listed_rules()[texts[0]["id"]]
    assert texts[0] == {
        "id": known.id, "level": known.level, "title": known.title, "explanation": known.explanation,
    }  # fmt: skip


def test_a_rule_is_wrapped_on_a_terminal() -> None:
    for what in ("HPC-NET-003", "NET"):
        shown = on_terminal("rules", what, columns=50)
        assert max(map(len, shown.splitlines())) <= 50
        assert shown.split() == hpc("rules", what).stdout.split()


def test_what_is_checked_in_inputs_is_explained() -> None:
    done = hpc("rules", "HPC-INP-002")
    assert done.stdout.startswith("HPC-INP-002  error\nA resource must not have unknown properties.\n\nThe")
    assert "Source: the SDK's argument classes" in done.stdout


def test_the_schema_is_the_models_own() -> None:
    assert json.loads(hpc("schema").stdout) == json_schema()


def test_machines_as_json_are_stable_and_filtered() -> None:
    first, second = (hpc("machines", "--gpu", "H100", "--cloud", "aws", "--format", "json").stdout for _ in range(2))
    assert first == second
    machines = json.loads(first)["machines"]
    assert "p5.48xlarge" in [machine["name"] for machine in machines]
    assert all("H100" in machine["accelerator"] and machine["cloud"] == "aws" for machine in machines)


def test_machines_as_a_table_begin_with_their_headings() -> None:
    heading, _, first, *_ = hpc("machines", "--gpu", "H100", "--cloud", "aws").stdout.splitlines()
    assert heading.split()[:4] == ["machine", "cores", "GiB", "accelerators"]
    assert first.split()[0].startswith("p5")


def test_a_narrow_terminal_cuts_nothing() -> None:
    lines = on_terminal("machines", "--gpu", "H100", columns=60, env={"NO_COLOR": "1"}).splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith("p5.48xlarge ") and line.endswith(" 0.5733") for line in lines)
    assert any(line.split()[0] == "Standard_NC80adis_H100_v5" for line in lines)
    assert "as of 2026-06 to 2026-08" in " ".join(lines)


def test_machines_like_another_one_are_told_with_the_reasons() -> None:
    lines = hpc("machines", "--like", "hpc6a.48xlarge", "--cloud", "azure").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:7]] == [line.partition(":")[0] for line in lines[7:12]]
    assert lines[7].startswith("Standard_HB120rs_v3: 120 cores for 96; 3.8 GiB per core for 4; ")
    for name, cloud, nearest in (
        ("HB176rs_v4", "aws", "hpc7a.96xlarge"),
        ("hpc6a.48xlarge", "gcp", "h4d-standard-192"),
        ("standard_hb176rs_v4", "gcp", "h4d-standard-192"),
    ):
        found = json.loads(hpc("machines", "--like", name, "--cloud", cloud, "--format", "json").stdout)
        first, *_ = found["machines"]
        assert first["name"] == nearest
        assert first["why"][0] == f"192 cores for {'96' if name.startswith('hpc6a') else '176'}"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("hpc6a.48xlrge", "did you mean hpc6a.48xlarge?"),
        ("Standard_HB176rsv4", "did you mean Standard_HB176rs_v4?"),
        ("anything", "to search for part of a name, use `hpc machines --name`"),
    ],
)
def test_likeness_to_an_unknown_machine_is_an_error(asked: str, said: str) -> None:
    done = hpc("machines", "--like", asked)
    assert done.returncode == 2
    assert done.stderr == f"Error: the catalogue has no facts about machine type {asked!r}; {said}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_ask_this_command(shell: str) -> None:
    script = hpc("completion", shell).stdout
    assert f"_HPC_COMPLETE={shell}_complete" in script
    assert "hpc" in script


@pytest.mark.parametrize("command", ["preview", "validate", "images"])
def test_names_of_stacks_are_completed(command: str) -> None:
    env = {"_HPC_COMPLETE": "bash_complete", "COMP_WORDS": f"hpc {command} aws-u", "COMP_CWORD": "2"}
    done = hpc(env=env)
    assert done.stdout.splitlines() == ["plain,aws-ultracluster", "plain,aws-university"]


def completed(words: str, cwd: Path = ROOT) -> list[str]:
    """What bash is told of the last of `words`; a type stands before each."""
    env = {"_HPC_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = hpc(cwd=cwd, env=env)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("command", ["validate", "preview", "images", "render", "rehearse"])
def test_where_no_stack_is_meant_files_are_completed(tmp_path: Path, command: str) -> None:
    assert completed(f"hpc {command} stacks/con") == ["file,stacks/con"]
    assert completed(f"hpc {command} a", cwd=tmp_path) == ["file,a"]


def test_ids_of_rules_are_completed() -> None:
    assert completed("hpc rules hpc-frm-") == [f"plain,HPC-FRM-00{number}" for number in (1, 2, 3, 4)]


def test_topics_of_rules_are_completed() -> None:
    assert completed("hpc rules N") == ["plain,NAF", "plain,NAM", "plain,NET", "plain,NFS"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--region us-west-", ["us-west-1", "us-west-2"]),
        ("--gpu h2", ["H200"]),
        ("--fabric e", ["efa"]),
        ("--fabric no", ["none"]),
    ],
)
def test_what_there_is_of_a_kind_is_completed(words: str, found: list[str]) -> None:
    assert completed(f"hpc machines {words}") == [f"plain,{each}" for each in found]


def test_files_of_a_stack_are_completed() -> None:
    assert completed("hpc render aws-cfd s") == ["plain,slurm.conf"]
    assert completed("hpc render stacks/config/Pulumi.aws-cfd.yaml s") == ["plain,slurm.conf"]
    assert completed("hpc render aws-cdf s") == []
    assert completed("hpc render tests/spec/data/ten_mistakes.yaml s") == []


def test_the_example_of_completion_works_on_a_fresh_account(tmp_path: Path) -> None:
    example = hpc("completion", "--help").stdout.partition("(bash):\n")[2].partition("\n\n")[0]
    env = {"HOME": str(tmp_path), "PATH": f"{Path(HPC).parent}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-ec", example], env=env, check=True)
    script = tmp_path / ".local" / "share" / "bash-completion" / "completions" / "hpc"
    assert script.read_text() == hpc("completion", "bash").stdout


SHOWN = ["machines --gpu H100", "validate aws-dev", "preview aws-dev"]


@pytest.mark.parametrize("arguments", SHOWN)
def test_a_terminal_gets_colour_unless_nobody_wants_it(arguments: str) -> None:
    assert "\033[" in on_terminal(*arguments.split())
    assert "\033" not in on_terminal(*arguments.split(), env={"NO_COLOR": "1"})


def test_a_dumb_terminal_gets_no_colour() -> None:
    assert "\033" not in on_terminal("validate", "aws-dev", env={"TERM": "dumb"})


@pytest.mark.parametrize("arguments", SHOWN)
def test_a_pipe_gets_no_colour(arguments: str) -> None:
    done = hpc(*arguments.split(), env={"TERM": "xterm-256color"})
    assert done.stdout
    assert "\033" not in done.stdout + done.stderr


def test_a_pipe_gets_utf8_whatever_the_code_page() -> None:
    assert "─" in hpc("machines", "--gpu", "H100", env={"PYTHONIOENCODING": "cp1252"}).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "machines --help",
        "machines",
        "images",
        "machines --format json",
        "schema",
        "validate aws-cfd",
        "preview aws-cfd --format html",
    ],
)
def test_a_reader_that_goes_away_is_no_error_and_ends_the_command(arguments: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([HPC, *arguments.split()], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize(
    "arguments",
    [
        "machines --help",
        "machines",
        "images",
        "rules HPC-NET-003",
        "validate aws-cfd --format json",
        "render aws-cfd slurm.conf",
    ],
)
def test_a_full_disk_is_told_in_one_sentence(arguments: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([HPC, *arguments.split()], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        "Error: can't write to standard output: No space left on device\n",
    )


def test_closed_streams_are_no_error(tmp_path: Path) -> None:
    done = subprocess.run(["bash", "-c", f"{HPC} machines >&- 2>&- <&-"], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_an_empty_no_color_asks_for_nothing() -> None:
    assert "\033[" in on_terminal("validate", "aws-dev", env={"NO_COLOR": ""})
