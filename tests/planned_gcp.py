"""What `pulumi up` makes of a program, for Google Cloud's stand-ins: metadata, names and permissions are the
program's own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.preview.recorder.standins import standin_id, standin_outputs

INSTANCE, TEMPLATE = "compute/instance:Instance", "compute/regionInstanceTemplate:RegionInstanceTemplate"
ACCOUNT, BUCKET = "serviceaccount/account:Account", "storage/bucket:Bucket"
SECRET, SUBNET = "secretmanager/secret:Secret", "compute/subnetwork:Subnetwork"
ROLE = "projects/iAMCustomRole:IAMCustomRole"
BINDINGS = {
    "storage/bucketIAMMember:BucketIAMMember": "bucket",
    "secretmanager/secretIamMember:SecretIamMember": "secretId",
    "serviceaccount/iAMMember:IAMMember": "serviceAccountId",
    "compute/subnetworkIAMMember:SubnetworkIAMMember": "subnetwork",
    "projects/iAMMember:IAMMember": "project",
}
"""Types of resources; of bindings, what says where they hold."""

_BEGINS = r'resource\.name\.extract\("/objects/\{name\}"\)\.startsWith\("([^"]+)"\)'


@dataclass(frozen=True)
class PlannedTemplate:
    """What compute nodes are made from."""

    machine: str
    labels: Mapping[str, str]
    metadata: Mapping[str, str]
    account: str
    """Email of their service account."""


@dataclass(frozen=True)
class PlannedGcp:
    """A recording of a program as in an update (`preview=False`), for a cluster called `lab` on Google Cloud."""

    recording: Recording

    def metadata(self, name: str) -> dict[str, str]:
        """Custom metadata of a machine, or of a template's machines."""
        return dict(self._machine(name).inputs["metadata"])

    def account(self, name: str) -> str:
        """Email of the service account of a machine, or of a template's machines."""
        inputs = self._machine(name).inputs
        return inputs["serviceAccount"]["email"]

    @cached_property
    def templates(self) -> dict[str, PlannedTemplate]:
        """Of compute nodes, by id."""
        return {
            standin_id(each.urn): PlannedTemplate(
                each.inputs["machineType"], each.inputs["labels"], self.metadata(each.name), self.account(each.name)
            )
            for each in self._all(TEMPLATE)
            if each.inputs["labels"]["hpc_role"] == "compute"
        }

    def text(self, path: str) -> str:
        """Text of an object in the config bucket."""
        objects = self._all("storage/bucketObject:BucketObject")
        (found,) = [each for each in objects if each.inputs["name"] == path]
        return found.inputs["source"]["asset"]["text"]

    @property
    def secrets(self) -> list[str]:
        """Names of the secrets."""
        return [each.inputs["secretId"] for each in self._all(SECRET)]

    @cached_property
    def names(self) -> dict[str, str]:
        """What scopes call buckets and service accounts, by their names in Google Cloud."""
        buckets = {_outputs(each)["name"]: each.name.removeprefix("lab-") for each in self._all(BUCKET)}
        return buckets | {_outputs(each)["email"]: _label(each) for each in self._all(ACCOUNT)}

    def grants(self, email: str) -> frozenset[tuple[str, str]]:
        """Role and scope of each binding of a service account; in the words of `boot.gcp_rights`."""
        return frozenset(self._granted(f"serviceAccount:{email}"))

    def _granted(self, member: str) -> Iterator[tuple[str, str]]:
        for kind, key in BINDINGS.items():
            for each in self._all(kind):
                if each.inputs["member"] == member:
                    role = each.inputs["role"]
                    yield self._roles.get(role, role), self._scope(each, key)

    def permissions(self) -> dict[str, set[str]]:
        """What each of the program's own roles allows, by the end of its name."""
        return {self._roles[_outputs(each)["name"]]: set(each.inputs["permissions"]) for each in self._all(ROLE)}

    def _scope(self, binding: RecordedResource, key: str) -> str:
        if key == "project":
            condition = binding.inputs.get("condition")
            return "project" if condition is None else f"project/{condition['title'].rpartition(' ')[2]}*"
        scope = self._scopes[binding.inputs[key].rpartition("serviceAccounts/")[2]]
        if (condition := binding.inputs.get("condition")) is None:
            return scope
        begin = re.fullmatch(_BEGINS, condition["expression"])
        assert begin is not None, condition
        return f"{scope}/{begin[1]}*"

    @cached_property
    def _scopes(self) -> dict[str, str]:
        accounts = self._all(ACCOUNT)
        return {
            **{_outputs(each)["name"]: f"bucket/{each.name.removeprefix('lab-')}" for each in self._all(BUCKET)},
            **{standin_id(each.urn): f"secret/{each.inputs['secretId']}" for each in self._all(SECRET)},
            **{standin_id(each.urn): f"subnet/{each.name.rpartition('-')[2]}" for each in self._all(SUBNET)},
            **{_outputs(each)[key]: f"account/{_label(each)}" for each in accounts for key in ("name", "email")},
        }

    @cached_property
    def _roles(self) -> dict[str, str]:
        return {_outputs(each)["name"]: each.name.rpartition("-")[2] for each in self._all(ROLE)}

    def _machine(self, name: str) -> RecordedResource:
        (found,) = [each for each in (*self._all(INSTANCE), *self._all(TEMPLATE)) if each.name == name]
        return found

    def _all(self, kind: str) -> Sequence[RecordedResource]:
        return self.recording.all(f"gcp:{kind}")


def _label(account: RecordedResource) -> str:
    """`debug`; `data` for each of those that nodes lend."""
    name = account.inputs["accountId"].removeprefix("lab-")
    return "data" if name.endswith("-data") else name


def _outputs(resource: RecordedResource) -> Mapping[str, Any]:
    return standin_outputs(resource.urn, resource.type)
