"""What docs/boot.md promises of every cloud's part of first boot, under "What a cloud brings".

A cloud has a subclass of `CloudContract`, with a fixture `stage` that gives a `Stage` of its own.
"""

import ipaddress
import json
import os
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from hpc_components.boot import USER_DATA_LIMIT, user_data
from hpc_components.boot.cloud_part import cloud_boot
from hpc_components.boot.files import boot_files
from hpc_components.boot.manifest import check_path
from hpc_components.boot.packaged import packaged_scripts

from .aws_stage import AwsStage
from .azure_stage import AzureStage
from .fake_aws import FakeAws
from .fake_azure import FakeAzure
from .fake_gcp import FakeGcp
from .gcp_stage import GcpStage
from .sandbox import Sandbox
from .stage import Said, Stage, call, refused

DOCS = (Path(__file__).parents[2] / "docs/boot.md").read_text().partition("\n## What a cloud brings\n")[2]
VERBS = tuple(dict.fromkeys(re.findall(r"^\| `(\w+)", DOCS.partition("| verb |")[2], re.M)))

MUNGE = b"\x00\xff binary\n"


class CloudContract:
    """The tests of a cloud."""

    def test_the_stub_is_whole_and_small(self, stage: Stage, tmp_path: Path) -> None:
        text = user_data(stage.cluster.cloud)
        assert "@CLOUD" not in text, "all places of the frame are filled"
        for function in ("who_am_i", "get"):
            assert len(re.findall(rf"^{function}\(\) {{", text, re.M)) == 1
        assert len(text.encode()) <= USER_DATA_LIMIT

    def test_its_files_are_its_own_and_can_be_fetched(self, stage: Stage) -> None:
        own = cloud_boot(stage.cluster.cloud).node_files(stage.cluster)
        assert not own.keys() & packaged_scripts("hpc_components.boot").keys()
        assert own.items() <= boot_files(stage.cluster).items()
        for path in own:
            check_path(path)
            assert path.startswith(("common/", "head/", "login/", "compute/"))

    def test_every_verb_is_there(self, stage: Stage) -> None:
        box = stage.node("compute")
        run = box.run(
            "bash", "-uc", 'source common/cluster.env; source common/cloud.sh; declare -F "$@"', "-", *VERBS
        )
        assert (run.returncode, run.stdout.split()) == (0, list(VERBS))

    def test_a_node_knows_what_it_is(self, stage: Stage) -> None:
        box = stage.node("compute")
        assert {name: call(box, "fact", name).lines for name in stage.facts} == {
            name: [value] for name, value in stage.facts.items()
        }
        assert "colour" in refused(call(box, "fact", "colour"))

    def test_a_node_that_can_not_know_does_not_guess(self, stage: Stage) -> None:
        box = stage.node("compute")
        stage.silent(box)
        for name in stage.facts:
            refused(call(box, "fact", name))

    def test_a_secret_is_read_as_it_is(self, stage: Stage) -> None:
        box = stage.node("compute")
        stage.put_secret("munge", None)
        assert "munge" in refused(call(box, "read_secret", "munge", "0"))
        stage.put_secret("munge", MUNGE)
        assert call(box, "read_secret", "munge", "0") == Said(0, MUNGE, "")

    def test_a_key_is_made_once(self, stage: Stage) -> None:
        box, keep = stage.node("head"), ("keep_secret", "jwt", "/key", "32")
        assert "jwt" in refused(call(box, *keep)), "`pulumi up` makes secrets"
        stage.put_secret("jwt", None)
        for _ in range(2):
            assert call(box, *keep).status == 0
            made = (box.root / "key").read_bytes()
            assert (len(made), stage.secret("jwt")) == (32, made)
        assert (box.root / "key").stat().st_mode & 0o777 == 0o600
        stage.put_secret("jwt", b"another")
        assert call(box, *keep).status == 0
        assert stage.secret("jwt") == (box.root / "key").read_bytes() == made, "the cluster runs with the file's"
        new = stage.node("head")
        assert call(new, *keep).status == 0
        assert (new.root / "key").read_bytes() == made, "a new state volume"

    def test_all_agree_on_what_the_first_has(self, stage: Stage) -> None:
        stage.put_secret("ssh-host", None)
        for own in (b"first\x00", b"second\x00"):
            box = stage.node("login")
            (box.root / "own").write_bytes(own)
            assert call(box, "agree_secret", "ssh-host", "/own") == Said(0, b"first\x00", "")

    def test_what_the_head_node_publishes_is_on_all_nodes(self, stage: Stage) -> None:
        for role in ("head", "login", "compute"):
            box = stage.node(role)
            box.write("var/people/people.json", "before")
            assert "people.json" in refused(call(box, "published", "people.json", "/var/people/people.json", "0"))
            assert box.read("var/people/people.json") == "before"
        for content in (b"\x00\xff first", os.urandom(3 << 20)):
            box = stage.node("head")
            (box.root / "new").write_bytes(content)
            assert call(box, "publish", "people.json", "/new") == Said(0, b"", "")
            for role in ("head", "login", "compute"):
                box = stage.node(role)
                box.write("var/people/people.json", "before")
                assert call(box, "published", "people.json", "/var/people/people.json", "0") == Said(0, b"", "")
                (file,) = (box.root / "var/people").iterdir()
                assert file.read_bytes() == content
                assert file.stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("role", ["login", "compute"])
    def test_only_the_head_node_publishes(self, stage: Stage, role: str) -> None:
        box = stage.node("head")
        (box.root / "new").write_bytes(b"the head node's")
        assert call(box, "publish", "people.json", "/new").status == 0
        box = stage.node(role)
        box.impatient()
        (box.root / "new").write_bytes(b"another")
        refused(call(box, "publish", "people.json", "/new"))
        refused(call(box, "publish", "more.json", "/new"))
        assert call(box, "published", "people.json", "/got", "0").status == 0
        assert (box.root / "got").read_bytes() == b"the head node's"

    def test_the_database_s_password_is_one_line(self, stage: Stage) -> None:
        box = stage.node("head")
        assert call(box, "read_password", stage.user_secret(b"p&ss word\n")).lines == ["p&ss word"]
        refused(call(box, "read_password", stage.user_secret(b"")))

    def test_a_folder_is_fetched_whole(self, stage: Stage) -> None:
        box, objects = stage.node("compute"), {"Packages": b"index", "pool/a.deb": b"\x00\xff"}
        with stage.folder(box, objects) as address:
            assert call(box, "in_bucket", address).status == 0
            assert call(box, "fetch_folder", address, "/fetched").status == 0
            assert call(box, "fetch_object", f"{address}/pool/a.deb", "/object").status == 0
            missing = call(box, "fetch_object", f"{address}/pool/b.deb", "/none")
            assert missing.status != 0
            assert missing.why
        assert call(box, "in_bucket", "https://packages.example.org/slurm").status != 0
        found = {
            str(path.relative_to(box.root / "fetched")): path.read_bytes()
            for path in (box.root / "fetched").rglob("*")
            if path.is_file()
        }
        assert found == objects
        assert (box.root / "object").read_bytes() == objects["pool/a.deb"]

    def test_a_log_is_sent(self, stage: Stage) -> None:
        box = stage.node("login")
        box.write("boot.log", "begun\n\nfailed: why\n")
        assert call(box, "send_log", "/boot.log").status == 0
        assert [lines[-1] for lines in stage.logs()] == ["failed: why"]

    def test_records_of_the_audit_trail_are_sent(self, stage: Stage) -> None:
        box = stage.node("login")
        for day in ("2026-11-27", "2026-11-29"):
            record = {"node": "login", "kind": "root", "who": "alice", "what": f"as root: {day}", "from": ""}
            times = (f"{day}T23:59:58Z", f"{day}T23:59:59Z")
            box.write("trail.jsonl", "".join(json.dumps({"time": time, **record}) + "\n" for time in times))
            assert call(box, "send_audit", "/trail.jsonl").status == 0
        said = "\n".join(line for lines in stage.logs() for line in lines)
        assert (said.count("as root: 2026-11-27"), said.count("as root: 2026-11-29")) == (2, 2)

    def test_own_disks_are_found_by_the_cloud(self, stage: Stage) -> None:
        box = stage.node("compute")
        stage.disks(box, own=("/dev/own0", "/dev/own1"), state=None)
        assert call(box, "own_disks").lines == ["/dev/own0", "/dev/own1"]
        assert call(box, "image_scratch").lines == []
        stage.disks(box, own=(), state=None)
        assert call(box, "own_disks").lines == []

    def test_the_state_volume_is_found_or_named(self, stage: Stage) -> None:
        box = stage.node("head")
        stage.disks(box, own=("/dev/own0",), state="/dev/state0")
        assert call(box, "state_disk").lines == ["/dev/state0"]
        stage.disks(box, own=("/dev/own0",), state=None)
        box.impatient()
        assert "state volume" in refused(call(box, "state_disk"))

    def test_what_steps_write_of_it_can_be_used(self, stage: Stage) -> None:
        box = stage.node("login")
        (line,) = call(box, "time_source").lines
        assert re.fullmatch(r"(server|pool|peer|refclock) \S+.*", line)
        places = [line.partition(" ") for line in call(box, "metadata_addresses").lines]
        assert [str(ipaddress.ip_address(address)) for address, _, _ in places] == [each[0] for each in places] != []
        assert all(re.fullmatch(r"(\d+(,\d+)*)?", ports) for _, _, ports in places)
        assert all(re.fullmatch(r"[a-z_][a-z0-9_-]*", each) for each in call(box, "metadata_users").lines)
        assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", each) for each in call(box, "cloud_packages").lines)
        assert call(box, "fabric_mpi").lines == []

    def test_nothing_is_lent_where_nothing_may_be_used(self, stage: Stage) -> None:
        box = stage.node("compute")
        box.write("etc/environment", "PATH=/usr/bin\n")
        for _ in range(2):
            assert call(box, "lend_bucket_access").status == 0
        assert box.read("etc/environment") == "PATH=/usr/bin\n"
        assert not (box.root / "running").exists()

    def test_software_that_can_not_be_had_is_named(self, stage: Stage) -> None:
        box = stage.node("compute")
        for command in ("curl", "apt-get"):
            box.fake(command, 'echo "no route to any server" >&2; exit 7')
        box.fake("modinfo", "exit 1")
        for verb in (("install_fabric", "node"), ("install_fabric", "users"), ("install_lustre_client",)):
            said = call(box, *verb)
            assert said.status != 0, verb
            assert said.why, verb


class TestAws(CloudContract):
    """AWS keeps it."""

    @pytest.fixture
    def stage(self, sandbox: Callable[..., Sandbox], aws: FakeAws) -> Stage:
        return AwsStage(sandbox, aws)


class TestAzure(CloudContract):
    """Azure keeps it."""

    @pytest.fixture
    def stage(self, azure_sandbox: Callable[..., Sandbox], azure: FakeAzure) -> Stage:
        return AzureStage(azure_sandbox, azure)


class TestGcp(CloudContract):
    """Google Cloud keeps it."""

    @pytest.fixture
    def stage(self, gcp_sandbox: Callable[..., Sandbox], gcp: FakeGcp) -> Stage:
        return GcpStage(gcp_sandbox, gcp)


def test_all_verbs_are_used_and_no_others() -> None:
    """A cloud has to bring no more than is used, and docs/boot.md tells of all that is used."""
    steps = "".join(packaged_scripts("hpc_components.boot").values())
    source = packaged_scripts("hpc_components.aws.boot")["common/cloud.sh"]
    functions = re.findall(r"^(\w+)\(\) {", source, re.M)
    called = {name for name in functions if re.search(rf"(^\s*|\$\(|[;|] |<\(|if ){name}\b", steps, re.M)}
    program = files("hpc_components.people.node").joinpath("command.py").read_text(encoding="utf-8")
    called |= set(re.findall(r'_verb\("(\w+)"', program))
    assert called == set(VERBS)
