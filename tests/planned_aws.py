"""What `pulumi up` makes of a program, for AWS's stand-ins: tags, names and permissions are the program's own."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from elastic.drivers.fake_ec2 import FakeEc2
from iam_allows import Allows, policy

from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.preview.recorder.standins import standin_outputs

ACCOUNT = "123456789012"


@dataclass(frozen=True)
class DataRole:
    """A role that nodes lend to people and jobs."""

    arn: str
    """As the plan and its tags say it."""
    names: tuple[str, ...]
    """ARNs that it goes by in policies."""
    trusted: tuple[str, ...]
    """ARNs of the roles that may take it."""
    allows: Allows
    """What may be done with it."""
    external_id: str | None = None
    """What who takes it must know."""


@dataclass(frozen=True)
class Planned:
    """A recording of a program as in an update (`preview=False`), for a cluster on AWS."""

    recording: Recording

    @cached_property
    def bucket(self) -> str:
        """Name of the config bucket."""
        return _outputs(self._config)["bucket"]

    @property
    def bucket_arn(self) -> str:
        return _outputs(self._config)["arn"]

    @property
    def objects(self) -> dict[str, str]:
        """Texts in the config bucket, by key."""
        objects = [each.inputs for each in self.recording.all("BucketObjectv2")]
        return {each["key"]: each["content"] for each in objects if each["bucket"] == self.bucket}

    @property
    def secrets(self) -> dict[str, str]:
        """ARN of each secret, by name."""
        return {each.inputs["name"]: _outputs(each)["arn"] for each in self.recording.all("Secret")}

    @property
    def head_tags(self) -> dict[str, str]:
        (head,) = self.recording.all("Instance")
        return head.inputs["tags"]

    @property
    def login_tags(self) -> dict[str, str]:
        (group,) = self.recording.all("Group")
        return {each["key"]: each["value"] for each in group.inputs["tags"]}

    def allows(self, role: str) -> Allows:
        """What the role of the nodes that are `head`, `login` or of the queue of this name may do."""
        return policy(self.statements(role))

    def statements(self, role: str) -> list[dict[str, Any]]:
        """The policy of that role."""
        (found,) = [each for each in self.recording.all("RolePolicy") if each.name.endswith(f"-{role}-role-policy")]
        return json.loads(found.inputs["policy"])["Statement"]

    def role_arn(self, role: str) -> str:
        """ARN of the role of the nodes that are `head`, `login` or of the queue of this name."""
        (found,) = [each for each in self.recording.all("aws:iam/role:Role") if each.name.endswith(f"-{role}-role")]
        return _outputs(found)["arn"]

    def data_role(self, place: str) -> DataRole:
        """The role that the nodes of a queue, or those where people log in, lend."""
        return self._lent_role(f"/data/{place}/")

    def organization_role(self, name: str) -> DataRole:
        """The role that nodes lend to people of an organization."""
        return self._lent_role(f"/organizations/{name}/")

    def _lent_role(self, path: str) -> DataRole:
        roles = self.recording.all("aws:iam/role:Role")
        (found,) = [each for each in roles if each.inputs["path"].endswith(path)]
        policies = self.recording.all("RolePolicy")
        (allowed,) = [each for each in policies if each.inputs["role"] == _outputs(found)["name"]]
        (trust,) = json.loads(found.inputs["assumeRolePolicy"])["Statement"]
        assert (trust["Effect"], trust["Action"]) == ("Allow", "sts:AssumeRole")
        arn, name = _outputs(found)["arn"], _outputs(found)["name"]
        return DataRole(
            arn,
            (arn, f"arn:aws:iam::{ACCOUNT}:role{found.inputs['path']}{name}"),
            (trusted,) if isinstance(trusted := trust["Principal"]["AWS"], str) else tuple(trusted),
            policy(json.loads(allowed.inputs["policy"])["Statement"]),
        )

    def bucket_keys(self) -> dict[str, str]:
        """ARN of the key of each bucket that has one, by the bucket's name."""
        encryption = [each.inputs for each in self.recording.all("BucketServerSideEncryptionConfiguration")]
        by_default = {
            each["bucket"]: rule["applyServerSideEncryptionByDefault"]
            for each in encryption
            for rule in each["rules"]
        }
        return {name: one["kmsMasterKeyId"] for name, one in by_default.items() if one["sseAlgorithm"] == "aws:kms"}

    def bucket_arns(self, name: str) -> list[str]:
        """ARNs of a bucket of the description, as policies may have them."""
        plain = [each for each in self.recording.all("aws:s3/bucket:Bucket") if each.name.endswith(f"-{name}")]
        shards = [
            each for each in self.recording.all("DirectoryBucket") if re.fullmatch(rf".*-{name}-\d+", each.name)
        ]
        return [_outputs(each)["arn"] for each in plain] + [
            f"arn:aws:s3express:us-east-2:{ACCOUNT}:bucket/{each.inputs['bucket']}" for each in shards
        ]

    def add_templates(self, ec2: FakeEc2) -> None:
        """Put the launch templates of all queues into the account."""
        paths = {_outputs(each)["name"]: each.inputs["path"] for each in self.recording.all("Role")}
        profiles = {_outputs(each)["name"]: each.inputs["role"] for each in self.recording.all("InstanceProfile")}
        for each in self.recording.all("LaunchTemplate"):
            given = each.inputs
            if "hpc:machine" not in given["tags"]:
                continue  # of the head or the login nodes
            market = given.get("instanceMarketOptions", {}).get("marketType", "")
            name = profiles[given["iamInstanceProfile"]["name"]]
            role = f"arn:aws:iam::{ACCOUNT}:role{paths[name]}{name}"
            machine, zone = given["tags"]["hpc:machine"], given["tags"]["hpc:zone"]
            (marks,) = [of["tags"] for of in given["tagSpecifications"] if of["resourceType"] == "instance"]
            more = {"instance_tags": marks, "market": market, "role": role, "image": given["imageId"]}
            more["placement"] = "groupName" in given.get("placement", {})
            disks = [each.get("ebs", {}) for each in given.get("blockDeviceMappings", ())]
            more["keys"] = tuple(dict.fromkeys(each["kmsKeyId"] for each in disks if each.get("kmsKeyId")))
            more["tagged"] = {each["resourceType"]: each["tags"] for each in given["tagSpecifications"]}
            target = given.get("capacityReservationSpecification", {}).get("capacityReservationTarget", {})
            more["reservation"] = target.get("capacityReservationId", "")
            ec2.add_template(each.name, machine, zone, given["tags"], **more)

    @property
    def _config(self) -> RecordedResource:
        (found,) = [each for each in self.recording.all("Bucket") if each.name.endswith("-config")]
        return found


def _outputs(resource: RecordedResource) -> Mapping[str, Any]:
    return standin_outputs(resource.urn, resource.type)
