"""The steps of a bake, with nothing around but the bundle."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpc_components.images.bundle import bundle
from hpc_components.spec.cluster import ClusterSpec

from .azure_stage import azure_spec
from .cluster import spec
from .gcp_stage import gcp_spec
from .sandbox import Sandbox

CALLED = 'echo "${0##*/} $*" >>/called; exit 1'
"""A program that must not be called."""

Make = Callable[..., Sandbox]


def described(make: Any, **more: Any) -> ClusterSpec:
    """A cluster on whose head node people work, and whose nodes are all of one image."""
    plain = make()
    head = {"machine": plain.head_node.machine, "image": "all"}
    queue = {**plain.queues[0].model_dump(exclude_defaults=True), "image": "all"}
    return make(**{"images": {"all": {}}, "head_node": head, "login_nodes": None, "queues": [queue], **more})


@pytest.fixture
def machine(tmp_path: Path, layers: tuple[Path, ...]) -> Callable[..., Sandbox]:
    """Makes machines that have all packages, and no file but a bundle."""

    def make(cluster: ClusterSpec) -> Sandbox:
        box = Sandbox(tmp_path, layers, {"empty": ""}, role="")
        box.write("root/bundle.sh", bundle(cluster, "all"))
        for program in ("curl", "apt-get", "wget"):
            box.fake(program, CALLED)
        return box

    return make


def run(box: Sandbox, *what: str) -> list[str]:
    """What the bundle says, called with each of these words in turn."""
    calls = "; ".join(f"bash /root/bundle.sh {word}" for word in what)
    done = box.run("bash", "-c", f"{calls}; echo $?")
    return done.stdout.splitlines()


@pytest.mark.parametrize("make", [spec, azure_spec, gcp_spec])
def test_a_bake_needs_its_bundle_alone_and_asks_nothing_of_the_cloud(machine: Make, make: Any) -> None:
    box = machine(described(make))
    box.fake("apt-get", '[[ ${!#} == clean ]] || { echo "apt-get $*" >>/called; exit 1; }')
    said = run(box, "bake")
    assert said[-2:] == ["hpc-image: bake succeeded", "0"], said
    assert not (box.root / "called").exists()
    assert '"recipe": "all"' in box.read("opt/hpc/image.json")


SCRIPT = """#!/bin/bash
echo "$HPC_ROLE $HPC_IMAGE ${HPC_CLUSTER-no cluster}" >/etc/agent.conf
echo the agent is there
"""


def test_scripts_of_a_recipe_run_before_the_machine_is_sealed(machine: Make) -> None:
    box = machine(described(spec, scripts={"agent": {"at": "image", "text": SCRIPT}}))
    box.fake("apt-get", "")
    said = run(box, "bake")
    assert said[-1] == "0", said
    assert "the agent is there" in said
    assert box.read("etc/agent.conf") == "image all no cluster\n"
    assert not (box.root / "opt/hpc/scripts").exists()
    assert '"own_scripts":' in box.read("opt/hpc/image.json")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ({"text": "#!/bin/sh\necho no license\nexit 3\n"}, "exit code 3: no license"),
        ({"text": "#!/bin/sh\nexec tail -f /dev/null\n", "time_limit": "1s"}, "ended after its time_limit of 1 s"),
        (
            {"address": "https://example.org/a.sh", "sha256": "0" * 64},
            "https://example.org/a.sh has not the described sha256",
        ),
    ],
)
def test_a_script_that_fails_fails_the_bake(machine: Make, script: dict[str, str], why: str) -> None:
    box = machine(described(spec, scripts={"agent": {"at": "image", **script}}))
    box.fake("curl", "echo changed >/opt/hpc/scripts/agent.new")
    said = run(box, "bake")
    assert said[-2:] == [f"hpc-image: FAILED: bake: own_scripts: script agent: {why}", "1"], said
    assert not (box.root / "opt/hpc/image.json").exists()


def test_nodes_on_which_people_work_have_the_client_of_eessi_from_their_image(machine: Make) -> None:
    box = machine(described(spec, software={"eessi": {}}))
    box.fake("apt-cache", 'if [[ $* == *cvmfs* ]]; then echo "  Candidate: 2.13"; fi')
    box.fake("apt-get", 'echo "$*" >>/apt')
    said = run(box, "bake")
    assert said[-1] == "0", said
    assert " cvmfs" in box.read("apt")


def test_jobs_run_in_containers_from_an_image_that_has_built_the_tools(machine: Make) -> None:
    box = machine(described(spec, software={"pyxis": True}))
    box.fake("apt-get", "")
    box.fake("git", '[[ $1 != init ]] || mkdir -p "$3"')
    box.fake("make", '[[ $2 != *pyxis ]] || echo plugin >"$2/spank_pyxis.so"')
    said = run(box, "bake")
    assert said[-1] == "0", said
    assert box.read("opt/hpc/lib/spank_pyxis.so") == "plugin\n"
    assert box.read("opt/hpc/plugstack.conf").startswith("required /opt/hpc/lib/spank_pyxis.so ")
    assert '"container_tools":' in box.read("opt/hpc/image.json")


def test_a_node_of_the_image_does_not_ask_its_package_source_again(sandbox: Make) -> None:
    env = sandbox("compute").config["common/cluster.env"] + "HPC_PACKAGE_SOURCE=s3://packages/slurm\n"
    for asked in (True, False):
        box = sandbox("compute", **{"common/cluster.env": env})
        box.fake("apt-get", CALLED)
        box.fake("python3", CALLED)
        if asked:
            box.write("opt/hpc/package_source", "s3://packages/slurm\n")
            box.step("common/packages.sh", "package_source")
            assert not (box.root / "called").exists()
        else:
            box.failing("common/packages.sh", "package_source")
            assert "mirror s3://packages/slurm /var/cache/hpc-packages" in box.read("called")


def test_an_image_that_lacks_a_package_is_told(machine: Make) -> None:
    box = machine(described(spec))
    box.fake("dpkg-query", '/usr/bin/dpkg-query "$@" | grep -vw gfortran')
    said = run(box, "test")
    assert said[-2].startswith("hpc-image: FAILED: test: packages: not in the image, but needed: apt-get "), said
    assert said[-2].endswith(" gfortran")
    assert not (box.root / "called").exists()


def test_a_machine_with_the_keys_of_another_is_told(machine: Make) -> None:
    box = machine(described(spec))
    box.write("opt/hpc/image.json", "{}")
    said = run(box, "test")
    assert said[-2].startswith("hpc-image: FAILED: test: new_machine: /etc/"), said
    assert "older than the image" in said[-2]


def test_a_kernel_that_the_modules_are_not_for_is_told(machine: Make) -> None:
    scratch = {"type": "lustre", "mount": "/fsx", "size": "1.2TiB", "deployment": "scratch_2"}
    box = machine(described(spec, storage={"scratch": scratch}))
    box.write("opt/hpc/image.json", '{"kernel": "6.8.0-1001"}')
    os.utime(box.root / "opt/hpc/image.json", (0, 0))
    said = run(box, "test")
    assert "but the image's modules are for 6.8.0-1001: make it anew" in said[-2], said


@pytest.mark.parametrize(
    ("kept", "words", "why"),
    [(1.0, "", "use `bash /root/bundle.sh bake` or"), (1.0, "make", "use `bash"), (0.6, "bake", "is incomplete")],
)
def test_a_bundle_that_is_cut_or_called_wrongly_does_nothing(
    machine: Make, kept: float, words: str, why: str
) -> None:
    box = machine(described(spec))
    text = box.read("root/bundle.sh")
    box.write("root/bundle.sh", text[: int(len(text) * kept)])
    said = run(box, words)
    assert said[-1] == "1"
    assert said[-2].startswith("hpc-image: FAILED: ")
    assert why in said[-2]
    assert not (box.root / "opt/hpc/image.json").exists()
