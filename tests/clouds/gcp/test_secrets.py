import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, TAGS
from hpc_components.gcp.secrets.component import NodeSecrets, NodeSecretsArgs
from hpc_components.preview.record import Recording, record


def make() -> None:
    made = NodeSecrets("cfd-secrets", NodeSecretsArgs(project=PROJECT, tags=TAGS))
    pulumi.export("ids", {each.name: each.id for each in (made.munge, made.jwt, made.host_keys)})


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_they_have_the_names_by_which_nodes_ask_for_them(usual):
    """`<cluster>-munge`: boot/scripts/common/cloud.sh."""
    assert {each.inputs["secretId"] for each in usual.all("Secret")} == {"cfd-munge", "cfd-jwt", "cfd-ssh-host"}
    outputs = record(make, preview=False).outputs["ids"]
    assert {name: "cfd-secrets-" + name in found for name, found in outputs.items()} == dict.fromkeys(
        ("munge", "jwt", "ssh-host"), True
    )


def test_neither_plan_nor_state_ever_has_a_value(usual):
    assert {each.type.rpartition(":")[2] for each in usual.resources} == {"NodeSecrets", "Secret"}, "no version"
    for each in usual.all("Secret"):
        assert {*each.inputs} == {"labels", "project", "replication", "secretId"}
        assert each.inputs["replication"] == {"auto": {}}
        assert each.inputs["labels"]["clustername"] == "cfd"
        assert each.inputs["project"] == PROJECT


def test_two_can_not_have_one_name(usual):
    assert all(each.delete_before_replace for each in usual.all("Secret"))
