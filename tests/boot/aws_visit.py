"""A laptop that reaches a cluster on AWS by Session Manager and by the head node's public address.

The AWS CLI and its plugin are stand-ins. Each refuses any arguments but those of the real one. Source: AWS CLI
command reference, `ssm start-session`; what the CLI gives to its plugin: aws/aws-cli,
awscli/customizations/sessionmanager.py, and a run of aws-cli 1.45.11 with our command line against a stand-in of the
service.
"""

import json
import sys
from pathlib import Path
from typing import Literal

from hpc_components.aws.reach import access

from .cluster import Cluster
from .lab import GATEWAY, Machine
from .verb_scenarios import ACCOUNT, Visit

PLUGIN = "session-manager-plugin"

_AWS = """\
#!{python}
import json, os, signal, subprocess, sys
if sys.argv[1:] != {wanted!r}:
    sys.exit(f"aws: [ERROR]: unknown options: {{sys.argv[1:]}}")
response = {{"SessionId": "lab-1", "TokenValue": "t", "StreamUrl": "wss://ssmmessages.lab/v1/data-channel/lab-1"}}
os.environ["AWS_SSM_START_SESSION_RESPONSE"] = json.dumps(response)
signal.signal(signal.SIGINT, signal.SIG_IGN)  # the plugin decides what Ctrl-C means
sys.exit(subprocess.call({plugin!r}))
"""


class AwsVisit(Visit):
    """The laptop, and the account's way in."""

    def __init__(self, cluster: Cluster, folder: Path, login: Machine, node: Machine) -> None:
        self._cluster, self._login = cluster, login
        super().__init__(cluster.lab, folder, cluster.head, node)
        self.let_in(login)
        # where AWS is for people, and for the jobs that they submit there
        login.run("sh", "-c", f"echo AWS_ENDPOINT_URL=http://{GATEWAY} >>/etc/environment")

    def meet(self, head: Machine) -> None:
        super().meet(head)
        # where AWS is: services have it from systemd, and what the doctor runs by sudo has it from here
        lines = "".join(f"{key}={value}\n" for key, value in self._cluster.lab.environment.items())
        (head.root / "etc/lab-environment").write_text(lines)
        (head.root / "etc/sudoers.d/lab").write_text("Defaults env_file=/etc/lab-environment\n")

    def take(self, way: Literal["tunnel", "public"]) -> None:
        """Reach the head node in this way from now on, whatever machine it is."""
        self.way = way
        self.meet(self._cluster.head)
        address = self.head.address
        instance = self._cluster.aws.instances[address].id
        region = self._cluster.described.region
        self._install_session_manager(region, instance)
        head = {"private_ip": address, "public_ip": address if way == "public" else None, "instance_id": instance}
        self.give({"access": access(self._cluster.described), "head_node": head, "login": self._login.address})

    def _install_session_manager(self, region: str, instance: str) -> None:
        document, port = "AWS-StartSSHSession", "22"
        asked = {"Target": instance, "DocumentName": document, "Parameters": {"portNumber": [port]}}
        endpoint = f"https://ssm.{region}.amazonaws.com"
        given = ["AWS_SSM_START_SESSION_RESPONSE", region, "StartSession", "", json.dumps(asked), endpoint]
        self.laptop.install_tunnel(PLUGIN, *given, head=self.head.address)
        wanted = [
            "ssm", "start-session", "--region", region, "--target", instance, "--document-name", document,
            "--parameters", f"portNumber={port}",
        ]  # fmt: skip
        self.laptop.install("aws", _AWS.format(python=sys.executable, wanted=wanted, plugin=[PLUGIN, *given]))

    def lose_connection(self) -> None:
        """End the session between laptop and head node: that of the tunnel, or that of sshd."""
        if self.way == "public":
            self.head.run("pkill", "-KILL", "-u", ACCOUNT, "sshd")
        else:
            self.lose_tunnel(PLUGIN)
