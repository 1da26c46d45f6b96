"""The provider process over gRPC, as the engine talks to it; no CLI is needed."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub

from hpc_components.preview.recorder.wire import Empty
from hpc_components.testing._values import UNKNOWN, from_struct, to_struct
from hpc_components.testing.provider import StandInCloud

SUBNET = "urn:pulumi:dev::hpc::hpc:aws:Vpc$aws:ec2/subnet:Subnet::subnet"
ROLE = "urn:pulumi:dev::hpc::aws:iam/role:Role::a-role-with-a-name-that-is-much-longer-than-iam-would-ever-want-it"
SECRET = "urn:pulumi:dev::hpc::aws:secretsmanager/secret:Secret::munge"


@dataclass(frozen=True)
class Plugin:
    stub: Any
    cloud: StandInCloud

    def check(self, urn: str, news: dict[str, Any], olds: dict[str, Any] | None = None) -> dict[str, Any]:
        request = proto.CheckRequest(urn=urn, news=to_struct(news), olds=to_struct(olds or {}))
        return from_struct(self.stub.Check(request).inputs)

    def create(self, urn: str, inputs: dict[str, Any], *, preview: bool = False) -> tuple[str, dict[str, Any]]:
        answer = self.stub.Create(proto.CreateRequest(urn=urn, properties=to_struct(inputs), preview=preview))
        return answer.id, from_struct(answer.properties)

    def diff(self, urn: str, olds: dict[str, Any], news: dict[str, Any], *ignored: str) -> Any:
        request = proto.DiffRequest(urn=urn, old_inputs=to_struct(olds), news=to_struct(news), ignoreChanges=ignored)
        return self.stub.Diff(request)


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    state = tmp_path_factory.mktemp("cloud")
    command = [sys.executable, "-m", "hpc_components.testing.provider", "--package", "aws", "--version", "7.51.1"]
    with subprocess.Popen([*command, "--state", str(state)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip(), state
        running.kill()


@pytest.fixture
def plugin(process: tuple[str, Path]) -> Iterator[Plugin]:
    port, state = process
    for file in state.rglob("*.json*"):
        file.unlink()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Plugin(ResourceProviderStub(channel), StandInCloud(state))


def test_the_provider_says_its_version_and_region(plugin: Plugin) -> None:
    assert plugin.stub.GetPluginInfo(Empty()).version == "7.51.1"
    assert plugin.stub.Handshake(proto.ProviderHandshakeRequest()).accept_secrets
    plugin.stub.Configure(proto.ConfigureRequest(args=to_struct({"region": "eu-north-1"})))
    _, made = plugin.create(SUBNET, {"availabilityZoneId": "eun1-az2"})
    assert made["availabilityZone"] == "eu-north-1b"


def test_a_name_is_found_once_and_kept(plugin: Plugin) -> None:
    first = plugin.check(ROLE, {"path": "/"})
    assert len(first["name"]) == 64  # the longest that IAM takes
    assert plugin.check(ROLE, {"path": "/"}) == first
    assert plugin.check(ROLE, {"path": "/x/"}, first) == {**first, "path": "/x/"}
    plugin.create(ROLE, first)
    assert plugin.check(ROLE, {"path": "/"})["name"] != first["name"]  # a replacement beside the old one
    assert plugin.check(ROLE, {"name": "mine"}) == {"name": "mine"}
    assert plugin.check(SECRET, {"namePrefix": "hpc/"}) == {"namePrefix": "hpc/"}
    assert plugin.create(SECRET, {"namePrefix": "hpc/"})[1]["name"].startswith("hpc/")


def test_what_the_cloud_adds_is_unknown_at_preview_and_the_same_ever_after(plugin: Plugin) -> None:
    inputs = {"cidrBlock": "10.0.0.0/24", "tags": {"a": "b"}}
    nothing, planned = plugin.create(SUBNET, inputs, preview=True)
    assert (nothing, planned["arn"], planned["tagsAll"]) == ("", UNKNOWN, {"a": "b"})
    assert plugin.cloud.things() == []

    id_, made = plugin.create(SUBNET, inputs)
    assert id_.startswith("subnet-")
    assert planned.keys() == made.keys()
    request = proto.UpdateRequest(id=id_, urn=SUBNET, olds=to_struct(made), news=to_struct({**inputs, "tags": {}}))
    assert from_struct(plugin.stub.Update(request).properties) == {**made, "tags": {}, "tagsAll": {}}
    assert [entry.method for entry in plugin.cloud.journal()] == ["Create", "Update"]


def test_an_unknown_input_is_no_update(plugin: Plugin) -> None:
    with pytest.raises(grpc.RpcError, match="an input is still unknown"):
        plugin.create(SUBNET, {"vpcId": UNKNOWN})


def test_a_change_replaces_by_the_providers_facts(plugin: Plugin) -> None:
    old = {"cidrBlock": "10.0.0.0/24", "tags": {"a": "b"}}
    same = plugin.diff(SUBNET, old, old)
    assert same.changes == proto.DiffResponse.DIFF_NONE
    tags = plugin.diff(SUBNET, old, {**old, "tags": {}})
    assert (list(tags.diffs), list(tags.replaces)) == (["tags"], [])
    assert plugin.diff(SUBNET, old, {**old, "tags": {}}, "tags").changes == proto.DiffResponse.DIFF_NONE
    moved = plugin.diff(SUBNET, old, {**old, "cidrBlock": "10.0.1.0/24"})
    assert list(moved.replaces) == ["cidrBlock"]
    assert moved.detailedDiff["cidrBlock"].kind == proto.PropertyDiff.UPDATE_REPLACE


def test_a_name_of_the_programs_own_goes_before_its_successor_comes(plugin: Plugin) -> None:
    own, found = {"name": "mine", "path": "/"}, {"name": "a-1234567", "path": "/", "__defaults": ["name"]}
    assert plugin.diff(ROLE, own, {**own, "path": "/x/"}).deleteBeforeReplace
    assert not plugin.diff(ROLE, found, {**found, "path": "/x/"}).deleteBeforeReplace


def test_a_thing_that_is_gone_is_read_as_gone(plugin: Plugin) -> None:
    id_, made = plugin.create(SUBNET, {"cidrBlock": "10.0.0.0/24"})
    request = proto.ReadRequest(id=id_, urn=SUBNET, properties=to_struct(made))
    assert plugin.stub.Read(request).id == id_
    plugin.cloud.remove("aws:ec2/subnet:Subnet", id_)
    assert plugin.stub.Read(request).id == ""


def test_a_call_it_has_no_answer_to(plugin: Plugin) -> None:
    with pytest.raises(grpc.RpcError, match="can't answer aws:ec2/getAmi:getAmi"):
        plugin.stub.Invoke(proto.InvokeRequest(tok="aws:ec2/getAmi:getAmi"))
