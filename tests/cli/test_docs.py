"""`hpc docs`."""

import json

from tests.cli.running import hpc


def test_docs_explains_a_key_on_every_cloud() -> None:
    done = hpc("docs", "queues.purchase")
    assert done.returncode == 0
    assert "queues[].purchase  AWS\n" in done.stdout
    assert "default on_demand" in done.stdout
    assert "flex_start" in done.stdout.partition("Google Cloud")[2]


def test_docs_of_one_cloud_names_the_keys_below() -> None:
    done = hpc("docs", "storage", "--cloud", "azure")
    assert done.stdout.startswith("storage  Azure\n")
    assert "Keys of type nfs: type, mount" in done.stdout
    assert "AWS" not in done.stdout


def test_docs_without_a_key_lists_those_at_the_top() -> None:
    lines = hpc("docs").stdout.splitlines()
    paths = [line.partition("  ")[0] for line in lines if line and not line.startswith(" ")]
    assert {"cloud", "network", "queues", "budget", "silence"} <= set(paths)
    assert not [path for path in paths if "." in path]


def test_docs_are_printed_as_json() -> None:
    keys = json.loads(hpc("docs", "lustre.size", "--format", "json").stdout)["keys"]
    assert {cloud for key in keys for cloud in key["clouds"]} == {"aws", "azure", "gcp"}
    assert {key["path"] for key in keys} == {"storage.<name>.size"}


def test_docs_of_an_unknown_key_proposes_a_known_one() -> None:
    done = hpc("docs", "queues.purchas")
    assert done.returncode == 2
    assert done.stderr == "Error: queues.purchas is not a key; did you mean purchase?\n"
