"""What `hpc doctor` says if the head node can't be reached, from the messages of ssh and of the clouds' tunnels."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hpc_components.cli import main
from hpc_components.operate.doctor.ask import Examination
from hpc_components.operate.doctor.document import Target, doctor_document
from hpc_components.operate.doctor.unreachable import why_no_login, why_unreachable
from hpc_components.operate.reach import Reach

AWS = {
    "access": {"cloud": "aws", "cluster": "cfd", "region": "us-east-2", "user": "ubuntu"},
    "head_node": {"private_ip": "10.0.0.4", "public_ip": None, "instance_id": "i-1"},
}
GOOGLE = {
    "access": {"cloud": "gcp", "cluster": "cfd", "iap": True, "user": "hpcadmin"},
    "head_node": {"private_ip": "10.0.0.4", "instance_id": "projects/p/zones/z/instances/cfd-head"},
}
AZURE = {
    "access": {"cloud": "azure", "cluster": "cfd", "user": "u", "bastion": {"name": "b", "resource_group": "g"}},
    "head_node": {"private_ip": "10.0.0.4", "vm_id": "/subscriptions/s/resourceGroups/g/virtualMachines/h"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("outputs", "said", "cause", "command"),
    [
        (AWS, "An error occurred (TargetNotConnected) when calling the StartSession operation: i-1 is not connected.",
         "tunnel-machine-away", "aws ec2 describe-instance-status"),
        (AWS, "An error occurred (AccessDeniedException) when calling the StartSession operation",
         "tunnel-not-allowed", "aws sts get-caller-identity"),
        (AWS, "Error when retrieving token from sso: Token has expired and refresh failed",
         "tunnel-login-expired", "aws sso login"),
        (GOOGLE, "ERROR: (gcloud.compute.start-iap-tunnel) Error while connecting [4033: 'not authorized'].",
         "tunnel-not-allowed", "gcloud auth list"),
        (GOOGLE, "Error while connecting [4003: 'failed to connect to backend'].",
         "tunnel-machine-away", "gcloud compute instances describe cfd-head --project=p --zone=z"),
        (AZURE, "(AuthorizationFailed) The client '' does not have authorization to perform action",
         "tunnel-not-allowed", "az account show"),
        (AZURE, "ERROR: Please run 'az login' to setup account.", "tunnel-login-expired", "az login"),
        (AZURE, "az: no tunnel", "tunnel-machine-away", "az vm get-instance-view --ids /subscriptions/s"),
        (AWS, "ubuntu@cfd-head: Permission denied (publickey).", "key-refused", ""),
        (AWS, "Connection timed out during banner exchange", "no-answer", "aws ec2 describe-instance-status"),
        (AWS, "Timeout, server cfd-head not responding.", "no-answer", "aws ec2 describe-instance-status"),
    ],
)  # fmt: skip
def test_a_message_of_the_way_leads_to_its_cause(outputs: Any, said: str, cause: str, command: str) -> None:
    diagnosis = why_unreachable(Reach(outputs), f"some words before\n{said}\nConnection closed by UNKNOWN port 65535")
    assert diagnosis.id == cause
    assert said in diagnosis.found.what
    examination = Examination(diagnoses=[diagnosis], left_out=[])
    target = Target(stack="aws-cfd", options=("--via", "tunnel"))
    commands = doctor_document("cfd", None, examination, target)["diagnoses"][0]["commands"]
    assert (commands[0] if commands else "").startswith(command)


def test_a_message_that_is_not_known_is_quoted() -> None:
    diagnosis = why_unreachable(Reach(AWS), "something new\n")
    assert (diagnosis.id, diagnosis.found.what.partition(": ")[2]) == ("head-not-reached", "something new")
    assert diagnosis.found.do[0].command == ("hpc", "ssh", "{stack}", "--print")


def test_login_nodes_that_can_t_be_reached_are_not_taken_for_the_head_node() -> None:
    diagnosis = why_no_login("ssh: connect to host lb.example.org port 22: Connection timed out\n")
    assert diagnosis.id == "login-not-reached"
    assert "head node can't" not in diagnosis.found.what
    assert diagnosis.found.what.endswith("Connection timed out")


def test_a_node_s_name_can_t_be_an_option(tmp_path: Path) -> None:
    (tmp_path / "o.json").write_text(json.dumps(AWS))
    done = CliRunner().invoke(main, ["doctor", "s", "--outputs", str(tmp_path / "o.json"), "--", "-oProxyCommand=x"])
    assert done.exit_code == 2
