"""How people of an organization, and no others, get its role: a node that lends to users of several organizations."""

import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pulumi
import pytest
from iam_allows import policy
from planned_aws import DataRole, Planned

from hpc_components.aws import Cluster, boot
from hpc_components.preview.record import record

from .cluster import spec
from .fake_aws import FakeAws
from .lending import lending_node
from .node_programs import load_program
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

ROLES = "common/organizations.json"
EXTERNAL = "arn:aws:iam::999999999999:role/results"

PEOPLE = {"ada": 2001, "bea": 2002, "cy": 2003, "olga": 2004}
GROUPS = {"acme": 3101, "birch": 3102, "cedar": 3103}
MEMBERS = {"acme": "ada", "birch": "bea", "cedar": "cy"}

CLIENT = """
import boto3, sys
from botocore.config import Config

for act in sys.argv[1:]:
    what, bucket = act.split(":")
    try:
        s3 = boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))
        if what == "read":
            print(s3.get_object(Bucket=bucket, Key="shard-0")["Body"].read().decode())
        else:
            s3.put_object(Bucket=bucket, Key="shard-1", Body=b"more")
            print("done")
    except Exception as error:
        print(error)
"""
"""A job that uses buckets, and finds its credentials by itself."""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load_program(Path(boot.__file__).parent / "scripts/common/data.py", monkeypatch)


@pytest.fixture(scope="module")
def plan() -> Planned:
    queues = [
        {"name": "debug", "machine": "c7i.xlarge", "max": 4, "smt": False},
        {"name": "forge", "machine": "c7i.xlarge", "max": 4, "smt": False},
    ]
    organizations = {
        "acme": {"gid": GROUPS["acme"], "bucket": True, "queues": ["forge"], "external_role": EXTERNAL},
        "birch": {"gid": GROUPS["birch"], "bucket": True},
        "cedar": {"gid": GROUPS["cedar"]},
    }
    storage = {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"}}
    described = spec(queues=queues, organizations=organizations, storage=storage, people={"users": {}})

    def program() -> None:
        acme = Cluster("lab", described).organizations["acme"]
        pulumi.export("acme", {"trust": acme.external_trust, "config": acme.aws_config})

    return Planned(record(program, preview=False))


class Site:
    """A node with these people, and AWS."""

    def __init__(self, make: Make, aws: FakeAws, plan: Planned, place: str) -> None:
        self.aws, self.plan = aws, plan
        kind = "login" if place == "login" else "compute"
        aws.tags = {"hpc:config": plan.bucket, "hpc:role": kind, "hpc:data-role": plan.data_role(place).arn}
        aws.rights, aws.role_arns = {kind: plan.allows(place)}, {kind: plan.role_arn(place)}
        aws.data_roles = [plan.data_role(place), *(plan.organization_role(name) for name in ("acme", "birch"))]
        lines = plan.objects["common/buckets"].splitlines()
        self.names = dict(line.split(" s3://") for line in lines)
        aws.buckets = {name: {"shard-0": key.encode()} for key, name in self.names.items()}
        arns = {name: plan.bucket_arns(key)[0] for key, name in self.names.items()}
        aws.arns, aws.keys = {"bucket": plan.bucket_arn, **arns}, plan.bucket_keys()
        aws.objects = {ROLES: plan.objects[ROLES].encode()}
        self.box, _ = lending_node(make, boot, plan.objects["common/buckets"], kind)
        self.box.environment["HPC_CONFIG"] = plan.bucket
        self.box.write(f"opt/hpc/config/{ROLES}", plan.objects[ROLES])
        self.box.write("client.py", CLIENT)
        for name, uid in PEOPLE.items():
            self._add("passwd", f"{name}:x:{uid}:{uid}::/home/{name}:/bin/bash")
            self._add("group", f"{name}:x:{uid}:")
        for name, gid in GROUPS.items():
            self._add("group", f"{name}:x:{gid}:{MEMBERS[name]}")

    def _add(self, table: str, line: str) -> None:
        file = self.box.root / "etc" / table
        before = (
            file if file.exists() else next(at for each in self.box.lower if (at := each / "etc" / table).exists())
        )
        self.box.write(f"etc/{table}", f"{before.read_text()}{line}\n")

    def run(self, *commands: str) -> list[str]:
        """What these commands say, while the node lends: for each access to a bucket what came of it."""
        said = self.box.then("common/data.sh", "data", "\n".join(["echo lending", *commands]))
        lines = said.partition("lending\n")[2].splitlines()
        return ["refused" if line.startswith("An error occurred (AccessDenied)") else line for line in lines]

    def act(self, user: str, *acts: str, by: str = "") -> str:
        """The command by which someone uses buckets, as a session or a job would."""
        named = " ".join(f"{what}:{self.names[key]}" for what, key in (each.split(":") for each in acts))
        become = f"setpriv --reuid={PEOPLE[user]} --regid={PEOPLE[user]} --clear-groups"
        return f"{become} env HOME=/nonexistent $(grep ^AWS /etc/environment) {by} python3 /client.py {named}"


@pytest.mark.parametrize("place", ["login", "debug"])
def test_people_of_an_organization_reach_its_bucket_and_no_others_do(
    sandbox: Make, aws: FakeAws, plan: Planned, place: str
) -> None:
    site = Site(sandbox, aws, plan, place)
    acts = ("read:acme", "write:acme", "read:birch", "write:birch", "read:data", "write:data")
    people = ["ada", "bea", "cy", "olga"] if place == "login" else ["bea", "cy", "olga"]
    said = site.run(*(site.act(user, *acts) for user in people))
    own = {"ada": ["acme", "done", *["refused"] * 2], "bea": [*["refused"] * 2, "birch", "done"]}
    others = ["refused"] * 4
    assert said == [word for user in people for word in (*own.get(user, others), "data", "done")]


def test_the_queue_of_one_organization_lends_no_role_of_another(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    """Whoever gets hold of a node's own role there gets no further."""
    site = Site(sandbox, aws, plan, "forge")
    mine, theirs = site.run(site.act("ada", "read:acme"), site.act("bea", "read:birch"))
    assert mine == "acme"
    assert "not authorized to perform: sts:AssumeRole on" in theirs
    assert plan.organization_role("birch").arn not in {role.arn for role in aws.worn.values()}


CONNECT = """
import ctypes, encodings.idna, os, socket, sys  # before they can't be read any more

host, port, uid, contained = sys.argv[1:]
os.setgroups([])
os.setresgid(int(uid), int(uid), int(uid))
os.setresuid(int(uid), int(uid), int(uid))
if contained == "True":
    libc = ctypes.CDLL(None)
    libc.prctl(4, 1)  # PR_SET_DUMPABLE, so that /proc/self is the user's
    assert libc.unshare(0x10000000) == 0  # CLONE_NEWUSER
    with open("/proc/self/uid_map", "w") as table:
        table.write(f"0 {uid} 1")
    assert os.getuid() == 0
with socket.create_connection((host, int(port))) as connection:
    connection.recv(1)
"""
"""A process of a user, which may be root in a separate user namespace."""


@pytest.mark.parametrize("host", ["127.0.0.1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("contained", [False, True])
def test_the_kernel_names_the_user_of_a_connection(
    program: ModuleType, start: Callable[..., Any], host: str, contained: bool
) -> None:
    """Also of one who is root in a container."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        port = server.getsockname()[1]
        for uid in (2001, 2002):
            user = start([sys.executable, "-c", CONNECT, host, str(port), str(uid), str(contained)])
            with server.accept()[0] as connection:
                assert program.caller(connection) == uid
            assert user.wait() == 0


def test_the_user_of_a_closed_connection_is_not_taken_for_root(program: ModuleType) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
        with server.accept()[0] as connection, pytest.raises(ConnectionError, match="is closed"):
            program.caller(connection)


def test_people_take_the_role_of_their_organization_s_account(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    """By the profile that the stack's outputs have; others may know it too."""
    site = Site(sandbox, aws, plan, "login")
    outputs = plan.recording.outputs["acme"]
    (trust,) = json.loads(outputs["trust"])["Statement"]
    reads = policy([{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::results/*"}])
    id = trust["Condition"]["StringEquals"]["sts:ExternalId"]
    aws.data_roles = [*aws.data_roles, DataRole(EXTERNAL, (EXTERNAL,), (trust["Principal"]["AWS"],), reads, id)]
    site.names["results"], aws.buckets = "results", {**aws.buckets, "results": {"shard-0": b"results"}}
    aws.arns = {**aws.arns, "results": "arn:aws:s3:::results"}
    site.box.write("profiles", outputs["config"])
    profile = "env AWS_CONFIG_FILE=/profiles AWS_PROFILE=acme"
    said = site.run(
        site.act("ada", "read:results", by=profile),
        site.act("ada", "read:results"),
        site.act("bea", "read:results", by=profile),
    )
    assert said == ["results", "refused", "refused"]
    assert [role.arn for role in aws.worn.values()].count(EXTERNAL) == 1


def test_people_of_organizations_can_choose_the_role_for_everyone(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    site = Site(sandbox, aws, plan, "login")
    everyone = "sh -c 'AWS_CONTAINER_CREDENTIALS_FULL_URI=$AWS_CONTAINER_CREDENTIALS_FULL_URI/everyone exec \"$@\"' -"
    assert site.run(site.act("ada", "read:data", "read:acme", by=everyone)) == ["data", "refused"]


def test_root_gets_the_role_that_is_for_everyone(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    """The node's own steps must not depend on organizations, whose list may be out of reach."""
    site = Site(sandbox, aws, plan, "login")
    aws.objects = {}
    site.run("curl -sS $(grep -oP '^AWS_CONTAINER_CREDENTIALS_FULL_URI=\\K.*' /etc/environment)")
    assert {role.arn for role in aws.worn.values()} == {plan.data_role("login").arn}


def test_people_get_no_other_role_while_their_organization_is_unknown(
    sandbox: Make, aws: FakeAws, plan: Planned
) -> None:
    """SDKs would keep credentials for everyone for most of an hour."""
    site = Site(sandbox, aws, plan, "login")
    aws.objects = {}
    (said,) = site.run(site.act("ada", "read:data"))
    assert f"{ROLES} in the config bucket can't be read yet" in said


def test_a_node_without_a_role_for_everyone_lends_those_of_organizations(
    sandbox: Make, aws: FakeAws, plan: Planned
) -> None:
    site = Site(sandbox, aws, plan, "login")
    del aws.tags["hpc:data-role"]
    mine, others = site.run(site.act("ada", "read:acme"), site.act("cy", "read:acme"))
    assert mine == "acme"
    assert "this cluster has no bucket for you" in others


def test_a_head_node_without_users_lends_nothing(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    site = Site(sandbox, aws, plan, "login")
    del aws.tags["hpc:data-role"]
    site.box.role = "head"
    site.box.step("common/data.sh", "data")
    assert "AWS" not in site.box.read("etc/environment")


def test_nothing_is_lent_when_the_last_organization_with_a_role_has_left(
    sandbox: Make, aws: FakeAws, plan: Planned
) -> None:
    site = Site(sandbox, aws, plan, "login")
    del aws.tags["hpc:data-role"]
    site.box.step("common/data.sh", "data")
    assert f"HPC_CONFIG={plan.bucket}\n" in site.box.read("etc/hpc/data.env")
    (site.box.root / "opt/hpc/config" / ROLES).unlink()
    site.box.step("common/data.sh", "data")
    assert "AWS" not in site.box.read("etc/environment")
    assert not (site.box.root / "etc/hpc/data.env").exists()


class InTurn(dict[str, bytes]):
    """An object that has another content each time it is read."""

    def __init__(self, contents: list[bytes]) -> None:
        self._contents = contents

    def get(self, key: str, default: Any = None) -> Any:
        return self._contents.pop(0) if key == ROLES else default


def test_an_organization_that_joins_is_known_on_running_nodes(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    site = Site(sandbox, aws, plan, "login")
    after = json.loads(plan.objects[ROLES])
    before = {gid: role for gid, role in after.items() if gid != str(GROUPS["birch"])}
    aws.objects = InTurn([json.dumps(each).encode() for each in (before, before, after)])
    program = site.box.read("opt/hpc/config/common/data.py")
    site.box.write("opt/hpc/config/common/data.py", program.replace("ROLES_SECONDS = 60", "ROLES_SECONDS = 0"))
    said = site.run(site.act("ada", "read:acme"), *[site.act("bea", "read:birch")] * 2)
    assert said == ["acme", "refused", "birch"]


def test_all_ranks_of_a_job_share_one_request(sandbox: Make, aws: FakeAws, plan: Planned) -> None:
    site = Site(sandbox, aws, plan, "login")
    said = site.run(*([f"{site.act('ada', 'read:acme')} &"] * 6), "wait")
    assert said == ["acme"] * 6
    assert len([role for role in aws.worn.values() if role.arn == plan.organization_role("acme").arn]) == 1
