"""A user's own unit tests, with Pulumi's mocks, in the same process as recordings."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import pulumi
from hpc_components.aws import LustreFilesystem, LustreFilesystemArgs, NodeIdentity, NodeIdentityArgs, Tags
from hpc_components.testing import record


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        made = {"arn": f"arn:{args.name}", "dnsName": "fs-1.fsx", "mountName": "m"}
        return [f"{args.name}-id", {**made, **args.inputs}]

    def call(self, args):
        return {}


def program():
    tags = Tags("cfd")
    scratch = LustreFilesystemArgs(
        mount="/fsx", capacity_gib=1200, subnet_id="subnet-1", security_group_ids=("sg-1",), tags=tags
    )
    return LustreFilesystem("scratch", scratch), NodeIdentity("nodes", NodeIdentityArgs(tags=tags))


@pulumi.runtime.test
def test_with_mocks():
    scratch, nodes = program()
    return pulumi.Output.all(scratch.mount.server, nodes.identities.own.role_arn).apply(print)


recorded = record(program)
pulumi.runtime.set_mocks(Mocks())
test_with_mocks()
assert record(program) == recorded
test_with_mocks()
"""


def test_components_run_with_mocks_before_and_after_a_recording(tmp_path: Path) -> None:
    file = tmp_path / "users_tests.py"
    file.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["['fs-1.fsx', 'arn:nodes-role']"] * 2
