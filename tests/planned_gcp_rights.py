"""What the bindings of a recorded program allow on Google Cloud, and the templates that nodes are launched from."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from boot.gcp_rights import ROLES
from elastic.drivers.fake_gce import BUCKET, FakeGce
from elastic.drivers.gce_shapes import PROJECT, Policy, Template
from planned_gcp import BINDINGS

from hpc_components.elastic.model import Pool
from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.preview.recorder.standins import standin_id, standin_outputs

IMAGE = "compute/imageIamMember:ImageIamMember"


@dataclass(frozen=True)
class Binding:
    """A role on a resource."""

    name: str
    permissions: frozenset[str]
    kind: str
    """`project`, `bucket`, `secretId`, `subnetwork`, `serviceAccountId` or `image`."""
    at: str
    condition: str
    own: bool
    """Whether the role is the program's own."""

    def covers(self, kind: str, name: str) -> bool:
        """Whether it holds for a resource of a kind."""
        if self.kind != "project":
            return (self.kind, self.at) == (kind, name)
        if kind == "image" and name.split("/")[1] != self.at:
            return False
        if not self.condition:
            return True
        kinds = {
            each.lower() for each in re.findall(r'resource\.type != "compute\.googleapis\.com/(\w+)"', self.condition)
        }
        only = re.fullmatch(r'resource\.type == "compute\.googleapis\.com/(\w+)"', self.condition)
        if only:
            return kind == only[1].lower()
        (prefix,) = set(re.findall(r'\.startsWith\("([^"]+)"\)', self.condition))
        return kind not in kinds or name.startswith(prefix)


@dataclass(frozen=True)
class GcpRights:
    """All bindings of one service account."""

    bindings: tuple[Binding, ...]

    @property
    def own_roles(self) -> list[Binding]:
        """The bindings of the program's own roles."""
        return [each for each in self.bindings if each.own]

    def holds(self, permission: str, kind: str, name: str) -> bool:
        """Whether the account has a permission on a resource of a kind with this name or id."""
        return any(permission in each.permissions and each.covers(kind, name) for each in self.bindings)

    def without(self, permission: str) -> "GcpRights":
        """The same but for one permission of the program's own roles."""
        kept = (
            replace(each, permissions=each.permissions - {permission}) if each.own else each for each in self.bindings
        )
        return GcpRights(tuple(kept))

    def without_binding(self, name: str) -> "GcpRights":
        """The same but for one binding."""
        return GcpRights(tuple(each for each in self.bindings if each.name != name))


def head_rights(recording: Recording) -> GcpRights:
    """What the head node may do."""
    return GcpRights(
        tuple(_bindings(recording, f"serviceAccount:{_head(recording).inputs['serviceAccount']['email']}"))
    )


def _bindings(recording: Recording, member: str) -> Iterator[Binding]:
    own = {
        _outputs(each)["name"]: frozenset(each.inputs["permissions"])
        for each in _all(recording, "projects/iAMCustomRole:IAMCustomRole")
    }
    accounts = {
        _outputs(each)["name"]: _outputs(each)["email"] for each in _all(recording, "serviceaccount/account:Account")
    }
    buckets = {_outputs(each)["name"]: each.name for each in _all(recording, "storage/bucket:Bucket")}
    kinds = {"secretId": "secret", "subnetwork": "subnet", "serviceAccountId": "account"}
    for type, key in {**BINDINGS, IMAGE: "image"}.items():
        for each in _all(recording, type):
            if each.inputs["member"] != member:
                continue
            role, at = each.inputs["role"], each.inputs[key].rpartition("serviceAccounts/")[2]
            if key == "bucket" and buckets.get(at, "").endswith("-config"):
                at = BUCKET
            permissions = own[role] if role in own else frozenset(ROLES[role])
            condition = (each.inputs.get("condition") or {}).get("expression", "")
            yield Binding(
                each.name, permissions, kinds.get(key, key), accounts.get(at, at), condition, own=role in own
            )


def add_planned_templates(gce: FakeGce, recording: Recording) -> Mapping[str, Mapping[str, Any]]:
    """Make the plan's templates, and the file that names them. Their inputs, by id."""
    templates = {standin_id(each.urn): each.inputs for each in _templates(recording)}
    for id, inputs in templates.items():
        model = (inputs.get("scheduling") or {}).get("provisioningModel", "STANDARD")
        gce.templates[id] = Template(inputs["machineType"], dict(inputs["labels"]), model)
    fleets = json.dumps(_fleets(recording))
    for each in _all(recording, "compute/resourcePolicy:ResourcePolicy"):
        region = each.inputs["region"]
        gce.policies[region, each.name] = Policy(each.name, "of the stack", {}, ready=0.0)
        id = f"projects/{PROJECT}/regions/{region}/resourcePolicies/{each.name}"
        fleets = fleets.replace(standin_id(each.urn), id)
    gce.put("head/fleets.json", json.loads(fleets))
    return templates


def planned_pools(recording: Recording) -> list[Pool]:
    """What can be launched."""
    return [
        Pool(queue=name, machine=machine, zone=zone, purchase=queue["purchase"])
        for name, queue in _fleets(recording)["queues"].items()
        for machine, _, zone in (key.partition("/") for key in queue["templates"])
    ]


def cluster_of(recording: Recording) -> str:
    """Name of the cluster."""
    return _head(recording).inputs["metadata"]["hpc-cluster"]


def _fleets(recording: Recording) -> Mapping[str, Any]:
    objects = _all(recording, "storage/bucketObject:BucketObject")
    (found,) = [each for each in objects if each.inputs["name"] == "head/fleets.json"]
    return json.loads(found.inputs["source"]["asset"]["text"])


def _templates(recording: Recording) -> list[RecordedResource]:
    every = _all(recording, "compute/regionInstanceTemplate:RegionInstanceTemplate")
    return [each for each in every if each.inputs["labels"]["hpc_role"] == "compute"]


def _head(recording: Recording) -> RecordedResource:
    (found,) = [
        each
        for each in _all(recording, "compute/instance:Instance")
        if each.inputs["metadata"].get("hpc-role") == "head"
    ]
    return found


def _all(recording: Recording, kind: str) -> list[RecordedResource]:
    return list(recording.all(f"gcp:{kind}"))


def _outputs(resource: RecordedResource) -> Mapping[str, Any]:
    return standin_outputs(resource.urn, resource.type)
