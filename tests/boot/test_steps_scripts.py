"""The step that runs a description's own scripts at boot."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from hpc_components.boot.own_scripts import script_files

from .cluster import spec
from .sandbox import Sandbox

Make = Callable[..., Sandbox]
STEP = ("common/scripts.sh", "own_scripts")
ADDRESS = "https://scripts.example.org/mount.sh"
TEXT = '#!/bin/bash\necho "$HPC_ROLE $HPC_QUEUE" >>/ran\necho mounted\n'
SUM = hashlib.sha256(TEXT.encode()).hexdigest()


def node(make: Make, role: str, **scripts: dict[str, Any]) -> Sandbox:
    given = {name: {"at": "boot", **script} for name, script in scripts.items()}
    box = make(role, **script_files(spec(scripts=given)))
    box.write("run/hpc/fact.id", "i-1\n")
    box.write("run/hpc/fact.queue", "debug\n")
    return box


@pytest.mark.parametrize(
    ("role", "ran"), [("head", "head \n"), ("login", "login \n"), ("compute", "compute debug\n")]
)
def test_a_script_runs_once_and_its_output_is_logged(sandbox: Make, role: str, ran: str) -> None:
    box = node(sandbox, role, mount={"text": TEXT})
    assert "mounted\n" in box.step(*STEP)
    assert "mounted" not in box.step(*STEP)
    assert box.read("ran") == ran


def test_it_runs_again_if_it_changes_and_on_another_machine(sandbox: Make) -> None:
    box = node(sandbox, "head", mount={"text": TEXT})
    box.step(*STEP)
    box.write("opt/hpc/config/head/scripts/mount", f"{TEXT}# changed\n")
    box.step(*STEP)
    box.write("run/hpc/fact.id", "i-2\n")
    box.step(*STEP)
    assert box.read("ran") == "head \n" * 3


def test_only_the_nodes_that_it_is_for_run_it(sandbox: Make) -> None:
    for role, ran in (("head", False), ("compute", True)):
        box = node(sandbox, role, mount={"text": TEXT, "on": ["debug"]})
        box.step(*STEP)
        assert (box.root / "ran").exists() is ran


def test_a_failure_is_told_with_the_last_line(sandbox: Make) -> None:
    box = node(sandbox, "head", mount={"text": "#!/bin/sh\necho no such disk >&2\nexit 4\n"})
    assert box.failing(*STEP) == "script mount: exit code 4: no such disk"
    assert box.failing(*STEP) == "script mount: exit code 4: no such disk", "it is tried again"


def test_it_ends_after_its_time_limit(sandbox: Make) -> None:
    box = node(sandbox, "head", mount={"text": "#!/bin/sh\nexec tail -f /dev/null\n", "time_limit": "1s"})
    assert box.failing(*STEP) == "script mount: ended after its time_limit of 1 s"


def test_a_service_that_it_starts_does_not_hold_the_boot_up(sandbox: Make) -> None:
    box = node(sandbox, "head", mount={"text": "#!/bin/sh\ntail -f /dev/null &\necho started\n"})
    assert "started" in box.step(*STEP)


def test_a_script_of_an_address_is_fetched_and_checked(sandbox: Make) -> None:
    box = node(sandbox, "compute", mount={"address": ADDRESS, "sha256": SUM})
    box.write("served", TEXT)
    box.fake("curl", f'[[ ${{@: -1}} == {ADDRESS} ]] && cp /served "${{@: -2:1}}"')
    assert "mounted\n" in box.step(*STEP)
    box.fake("curl", "exit 22")
    assert box.step(*STEP) == "", "it is there"


def test_another_script_than_the_described_one_does_not_run(sandbox: Make) -> None:
    box = node(sandbox, "compute", mount={"address": ADDRESS, "sha256": "0" * 64})
    box.write("served", TEXT)
    box.fake("curl", 'cp /served "${@: -2:1}"')
    assert box.failing(*STEP) == f"script mount: {ADDRESS} has not the described sha256"
    assert not (box.root / "ran").exists()
    box.fake("curl", "exit 22")
    assert box.failing(*STEP) == f"script mount: {ADDRESS} can't be fetched"


def in_a_bucket(make: Make, address: str, fetches: str) -> Sandbox:
    """A compute node with a script at `address`, whose cloud has buckets `pond://`. `fetches` is a verb's body."""
    verbs = f"in_bucket() {{ [[ $1 == pond://* ]]; }}\nfetch_object() {{ {fetches}; }}\n"
    given = {"mount": {"at": "boot", "address": address, "sha256": SUM}}
    files = script_files(spec(scripts=given))
    files["common/cloud.sh"] = make("compute").config["common/cloud.sh"] + verbs
    box = make("compute", **files)
    box.write("run/hpc/fact.id", "i-1\n")
    box.write("run/hpc/fact.queue", "debug\n")
    box.write("served", TEXT)
    return box


def test_a_script_of_a_bucket_is_fetched_with_the_nodes_identity(sandbox: Make) -> None:
    box = in_a_bucket(sandbox, "pond://site/mount.sh", 'echo "$1" >/asked; cp /served "$2"')
    box.fake("curl", "exit 22")
    assert "mounted\n" in box.step(*STEP)
    assert box.read("asked") == "pond://site/mount.sh\n"


def test_a_changed_script_of_a_bucket_does_not_run(sandbox: Make) -> None:
    box = in_a_bucket(sandbox, "pond://site/mount.sh", 'echo changed >"$2"')
    assert box.failing(*STEP) == "script mount: pond://site/mount.sh has not the described sha256"
    assert not (box.root / "ran").exists()


def test_a_bucket_that_the_node_may_not_read_is_named(sandbox: Make) -> None:
    box = in_a_bucket(sandbox, "pond://site/mount.sh", "return 1")
    said = box.failing(*STEP)
    assert said == "script mount: pond://site/mount.sh can't be fetched: may this node's identity read it?"


def test_an_address_with_a_signature_needs_no_identity(sandbox: Make) -> None:
    box = in_a_bucket(sandbox, "pond://site/mount.sh?signature=1", "exit 3")
    box.fake("curl", 'cp /served "${@: -2:1}"')
    assert "mounted\n" in box.step(*STEP)
