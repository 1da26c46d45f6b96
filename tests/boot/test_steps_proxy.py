"""The proxy by which nodes share what they read of EESSI: a real squid with our settings."""

from collections.abc import Callable

import pytest

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

SQUID = {"head/squid.conf": boot_files(spec(software={"eessi": {}}))["head/squid.conf"]}

HEAD, NODE, STRANGER, SERVER = "10.90.64.20", "10.90.1.5", "192.0.2.9", "198.51.100.7"
CONTENTS = "http://aws-eu-central-s1.eessi.science/cvmfs/software.eessi.io/data/00/file"

NETWORK = f"""
set -e
ip link set lo up
for each in {HEAD} {NODE} {STRANGER} {SERVER}; do ip addr add $each/32 dev lo; done
echo '{SERVER} aws-eu-central-s1.eessi.science elsewhere.example' >>/etc/hosts
mkdir -p /served/cvmfs/software.eessi.io/data/00 && cd /served
echo contents >cvmfs/software.eessi.io/data/00/file && echo secret >other
touch -d '2 months ago' cvmfs/software.eessi.io/data/00/file # what is old is not likely to change
python3 -m http.server --bind {SERVER} 80 >/requests 2>&1 &
squid --foreground -z -f /etc/squid/squid.conf >/squid.log 2>&1
squid -N -f /etc/squid/squid.conf >>/squid.log 2>&1 &
until curl -so /dev/null http://{HEAD}:6828/ && curl -so /dev/null http://{SERVER}/; do sleep 0.2; done
ask() {{ curl -s -o /answer -w '%{{http_code}} ' --interface "$1" -x http://{HEAD}:6828 "${{@:2}}"; }}
"""


@pytest.fixture
def head(sandbox: Make) -> Sandbox:
    box = sandbox("head", **SQUID)
    if not any((layer / "usr/sbin/squid").is_symlink() for layer in box.lower):  # to an alternative
        pytest.skip("needs squid in build/rfs/trixie-boot: `make system` puts it there")
    box.fake("sleep", "#!/bin/bash\nexec /bin/sleep 0.2\n")
    box.step("head/proxy.sh", "eessi_proxy")
    assert box.read("running").split() == ["squid"]
    return box


def said_by(box: Sandbox, script: str) -> str:
    run = box.run("unshare", "-n", "--pid", "--fork", "--kill-child", "bash", "-c", NETWORK + script)
    assert run.returncode == 0, run.stdout + box.read("squid.log")
    return run.stdout.strip()


def test_nodes_get_contents_once_from_the_server_and_then_from_the_proxy(head: Sandbox) -> None:
    assert said_by(head, f"ask {NODE} {CONTENTS}; ask {HEAD} {CONTENTS}; cat /answer") == "200 200 contents"
    assert head.read("requests").count("/cvmfs/software.eessi.io/data/00/file") == 1


@pytest.mark.parametrize(
    ("client", "request_"),
    [
        (STRANGER, CONTENTS),
        (NODE, "http://elsewhere.example/cvmfs/software.eessi.io/data/00/file"),
        (NODE, "http://aws-eu-central-s1.eessi.science/other"),
        (NODE, f"-d x=y {CONTENTS}"),
        (NODE, "http://169.254.169.254/cvmfs/"),
    ],
)
def test_proxy_is_no_way_out_of_the_network(head: Sandbox, client: str, request_: str) -> None:
    assert said_by(head, f"ask {client} {request_}") == "403"
    assert "/cvmfs" not in head.read("requests")


def test_proxy_is_stopped_without_eessi(head: Sandbox) -> None:
    head.fake("systemctl", 'echo "$*" >>/stopped')
    head.run("rm", "head/squid.conf")
    head.step("head/proxy.sh", "eessi_proxy")
    assert head.read("stopped") == "disable -q --now squid\n"
    head.step("head/proxy.sh", "eessi_proxy")
    assert head.read("stopped").count("\n") == 1
