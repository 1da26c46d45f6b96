"""The generated configuration of names, read by a real dnsmasq: daemon's table, name server, forwarder, program."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hpc_components.boot.name_service import OFF_TABLE, domain_of, name_files

from .cluster import spec

TOOLS = Path(__file__).parents[2] / "tools"

INSIDE = """
import json, sys, tempfile
from pathlib import Path
from bench_names import NODES, address_of, serving, until
with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as table:
    table.publish(NODES, ())
    until(lambda: address_of(list(NODES)[-1]))
    said = {"all": sum(address_of(name) == address for name, address in NODES.items())}
    left = dict(NODES)
    del left["compute-7"]
    table.publish({**left, "compute-9": "10.20.200.1"}, {"compute-7"})
    until(lambda: not address_of("compute-7"))
    until(lambda: address_of("compute-9") == "10.20.200.1")
    for name in sys.argv[1:]:
        said[name] = address_of(name)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said() -> dict[str, object]:
    """What programs get for names, by name: 4,000 nodes were up, then one went and another came back elsewhere."""
    if os.geteuid() != 0 or not shutil.which("dnsmasq") or not shutil.which("unshare"):
        pytest.skip("needs root, unshare and dnsmasq (apt-get install dnsmasq-base)")
    names = (
        "compute-7",
        "compute-9",
        "compute-4000.bench.hpc.internal",
        "head",
        "login-10-20-4-5",
        "login-10-99-4-5",
    )
    run = subprocess.run(
        ["unshare", "-n", "-m", sys.executable, "-c", INSIDE, *names, "www.example.org"],
        env={**os.environ, "PYTHONPATH": str(TOOLS)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_4000_nodes_are_found(said: dict[str, object]) -> None:
    assert said["all"] == 4000
    assert said["compute-4000.bench.hpc.internal"] == "10.20.143.250"


def test_a_node_that_went_has_no_name_and_one_that_came_back_its_new_address(said: dict[str, object]) -> None:
    assert said["compute-7"] == ""
    assert said["compute-9"] == "10.20.200.1"


def test_the_head_node_and_login_nodes_need_no_table(said: dict[str, object]) -> None:
    assert said["head"] == "10.20.64.20"
    assert said["login-10-20-4-5"] == "10.20.4.5"
    assert said["login-10-99-4-5"] == "", "no address of this network"


def test_no_other_name_is_looked_for(said: dict[str, object]) -> None:
    assert said["www.example.org"] == ""


def test_in_a_network_that_is_there_already_login_nodes_have_its_addresses() -> None:
    subnet = {"id": "subnet-0123456789abcdef0", "cidr": "172.30.4.0/22"}
    existing = {"vpc": "vpc-0123456789abcdef0", "cidr": "172.30.0.0/16", "private": {"use2-az2": subnet}}
    conf = name_files(spec(network={"existing": existing}, login_nodes=None))["head/name-server.conf"]
    assert "\nsynth-domain=lab.hpc.internal,172.30.0.0/16,login-\n" in conf


def test_two_clusters_have_two_domains() -> None:
    assert domain_of(spec(name="CFD-2")) == "cfd-2.hpc.internal"


def test_only_the_head_node_has_addresses_for_nodes_that_are_off() -> None:
    """Elsewhere a program that looks for such a node must learn that it is not there."""
    files = name_files(spec())
    assert [path for path, text in files.items() if OFF_TABLE in text] == ["head/names.conf"]
    assert files["head/names.conf"].startswith(files["common/names.conf"])
