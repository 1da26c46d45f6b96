"""What `hpc init` proposes on Azure is to keep, and its answers are judged by Azure's facts."""

import base64
from pathlib import Path
from typing import Any

import pytest

from hpc_components.azure import first_cluster
from hpc_components.catalog import machine, regions, zones
from hpc_components.first_cluster import WORKLOADS
from hpc_components.first_cluster.interview import Interview
from hpc_components.first_cluster.reading import AnswerError

HONEST = {"HPC-QTA-001", "HPC-QTA-008", "HPC-BUD-008"}
"""Warnings about the subscription and the purse, of which no file can be rid."""

UNKNOWN = {"belgiumcentral", "denmarkeast"}
"""Regions of which the catalogue knows no machines."""

KEY = "ssh-ed25519 " + base64.b64encode(b"\0\0\0\x0bssh-ed25519" + b"\0\0\0\x20" + b"k" * 32).decode() + " me@site"


def interview(**answers: str) -> Interview:
    started = Interview(None)
    given = {"cloud": "azure", "region": "eastus", "ssh_from": "none", "ssh_key": KEY, "budget": "none", "name": "me"}
    started.take_all(given | answers)
    return started


def proposed(**answers: str) -> Any:
    judgement = interview(**answers).judgement("Pulumi.me.yaml")
    assert judgement.errors == ()
    assert judgement.cluster is not None
    warned = {finding.id for finding in judgement.findings if finding.level == "warning"}
    assert warned <= HONEST, judgement.findings
    return judgement.cluster


@pytest.mark.parametrize("workload", WORKLOADS)
def test_each_workload_has_machines_wherever_they_are_sold(workload: str) -> None:
    without = set()
    for region in regions("azure"):
        try:
            name = first_cluster.machine_for(workload, region)
        except ValueError:
            without.add(region)
            continue
        zone = first_cluster.zone_for(name, region)
        assert zone.id in zones("azure", region)
        assert (zone.id == region) == (not zone.note)
    assert workload == "gpu" or without <= UNKNOWN, "the others' last choice is sold everywhere"


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("region", ["eastus", "westeurope", "australiasoutheast"])
def test_what_is_proposed_is_to_keep(workload: str, region: str) -> None:
    if workload == "gpu" and region == "australiasoutheast":
        with pytest.raises(
            ValueError, match=r"^none of the machine types proposed for gpu is known to be available in .*--machine$"
        ):
            first_cluster.machine_for(workload, region)
        return
    cluster = proposed(region=region, workload=workload)
    assert cluster.queues[0].machine == first_cluster.machine_for(workload, region)
    assert cluster.head_node.ssh_key == KEY
    assert not cluster.throw_away
    assert cluster.buckets == {}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_somebody_gets_in_whatever_they_come_from(workload: str) -> None:
    public = proposed(workload=workload, ssh_from="203.0.113.7")
    assert public.head_node.public != bool(public.login_nodes and public.login_nodes.public)
    assert not public.network.bastion
    private = proposed(workload=workload, ssh_from="10.0.0.0/12, 192.168.0.0/16")
    assert not private.head_node.public
    assert private.login_nodes is not None
    assert not private.login_nodes.public
    assert private.login_nodes.ssh_key == KEY
    assert proposed(workload=workload).network.bastion


def test_machines_with_disks_of_their_own_use_them() -> None:
    assert proposed(workload="mpi").queues[0].local_scratch == "/local"
    assert proposed(workload="mpi", region="australiasoutheast").queues[0].local_scratch is None


def test_what_stands_in_is_like_the_first() -> None:
    assert proposed(workload="throughput").queues[0].fallback == ("Standard_D16as_v6", "Standard_D16s_v5")
    assert proposed(workload="throughput", machine="Standard_F16as_v6").queues[0].fallback == ()


@pytest.mark.parametrize(
    ("name", "workload"),
    [
        ("Standard_ND96isr_H100_v5", "gpu"),
        ("Standard_HB176rs_v4", "mpi"),
        ("Standard_D16as_v5", "throughput"),
    ],
)
def test_a_machine_tells_what_it_is_for(name: str, workload: str) -> None:
    assert interview(machine=name).answers.workload == workload


def test_arm_nodes_have_an_arm_head_node() -> None:
    cluster = proposed(machine="Standard_D16ps_v6")
    head = machine("azure", cluster.head_node.machine)
    assert head is not None
    assert head.arch == "arm64"


def test_which_zone_sells_a_type_is_to_be_asked() -> None:
    zone = first_cluster.zone_for("Standard_HB176rs_v4", "eastus")
    assert zone.id == "eastus-1"
    assert "az vm list-skus --location eastus --zone --size Standard_HB176rs_v4" in zone.note


def test_the_region_of_azures_own_command_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_DEFAULTS_LOCATION", "swedencentral")
    assert first_cluster.default_region() == "swedencentral"
    monkeypatch.delenv("AZURE_DEFAULTS_LOCATION")
    assert first_cluster.default_region() in regions("azure")


@pytest.mark.parametrize(
    ("field", "answer", "words"),
    [
        ("region", "East US", "the catalogue has no region 'East US' of Azure; did you mean eastus?"),
        ("machine", "HB176rs_v4", "'HB176rs_v4' is not a machine type of Azure; did you mean Standard_HB176rs_v4?"),
        ("machine", "Standard_HB368rs_v5", "Standard_HB368rs_v5 is not offered in westus2, only in "),
        ("zone", "1", "write westus2-1"),
        ("ssh_key", "ecdsa-sha2-nistp256 AAAAE2Vj me", "Azure does not accept keys of type ecdsa-sha2-nistp256"),
        (
            "ssh_key",
            "~/no-such-file.pub",
            "'~/no-such-file.pub' is neither a public key nor a file that contains one",
        ),
        (
            "name",
            "windows",
            "Azure refuses this name for a storage account or Key Vault, because it contains the reserved word "
            "windows",
        ),
    ],
)
def test_an_answer_that_cannot_be_is_refused_with_the_reason(field: str, answer: str, words: str) -> None:
    started = interview(region="westus2")
    with pytest.raises(AnswerError) as caught:
        started.take(field, answer)
    assert words in str(caught.value)


def test_a_key_is_read_from_its_file_and_a_private_one_never(tmp_path: Path) -> None:
    (tmp_path / "id.pub").write_text(f"{KEY}\n")
    (tmp_path / "id").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n")
    started = interview(ssh_key=str(tmp_path / "id.pub"))
    assert started.answers.ssh_key == KEY
    with pytest.raises(AnswerError, match=r"contains a private key, .* enter .*id\.pub instead$"):
        started.take("ssh_key", str(tmp_path / "id"))
    with pytest.raises(AnswerError) as caught:
        started.take("ssh_key", "-----BEGIN OPENSSH PRIVATE KEY----- hunter2")
    assert "hunter2" not in str(caught.value)
    assert started.answers.ssh_key == KEY


def test_the_key_is_asked_for_where_the_cloud_puts_it_on_machines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    asked = Interview(None)
    asked.take_all({"cloud": "azure", "region": "eastus"})
    assert "ssh_key" in {question.field for question in asked.open()}
    assert asked.default("ssh_key") == "none"
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/id_ed25519.pub").write_text(KEY)
    assert asked.default("ssh_key") == "~/.ssh/id_ed25519.pub"
    elsewhere = Interview(None)
    elsewhere.take_all({"cloud": "aws", "region": "us-east-2"})
    assert "ssh_key" not in {question.field for question in elsewhere.open()}
    with pytest.raises(
        AnswerError,
        match="`hpc init` does not use this option on AWS; specify an EC2 key pair instead: --key-pair NAME",
    ):
        elsewhere.take("ssh_key", KEY)


def test_without_a_key_it_says_that_nobody_has_one() -> None:
    judgement = interview(ssh_key="none").judgement("Pulumi.me.yaml")
    assert judgement.errors == ()
    assert "HPC-SEC-007" in {finding.id for finding in judgement.findings}
