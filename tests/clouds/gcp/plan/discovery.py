"""Google's discovery documents: names of a resource's properties in its APIs, and their values."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hpc_components.preview.resources import SECRET, UNKNOWN

SCHEMAS = {
    "gcp:billing/budget:Budget": ("billingbudgets.v1", "GoogleCloudBillingBudgetsV1Budget"),
    "gcp:compute/address:Address": ("compute.v1", "Address"),
    "gcp:compute/disk:Disk": ("compute.v1", "Disk"),
    "gcp:compute/firewall:Firewall": ("compute.v1", "Firewall"),
    "gcp:compute/forwardingRule:ForwardingRule": ("compute.v1", "ForwardingRule"),
    "gcp:compute/globalAddress:GlobalAddress": ("compute.v1", "Address"),
    "gcp:compute/instance:Instance": ("compute.v1", "Instance"),
    "gcp:compute/network:Network": ("compute.v1", "Network"),
    "gcp:compute/regionAutoscaler:RegionAutoscaler": ("compute.v1", "Autoscaler"),
    "gcp:compute/regionBackendService:RegionBackendService": ("compute.v1", "BackendService"),
    "gcp:compute/regionHealthCheck:RegionHealthCheck": ("compute.v1", "HealthCheck"),
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": ("compute.v1", "InstanceGroupManager"),
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate": ("compute.v1", "InstanceProperties"),
    "gcp:compute/resourcePolicy:ResourcePolicy": ("compute.v1", "ResourcePolicy"),
    "gcp:compute/router:Router": ("compute.v1", "Router"),
    "gcp:compute/routerNat:RouterNat": ("compute.v1", "RouterNat"),
    "gcp:compute/subnetwork:Subnetwork": ("compute.v1", "Subnetwork"),
    "gcp:filestore/instance:Instance": ("file.v1", "Instance"),
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": ("logging.v2", "LogBucket"),
    "gcp:logging/projectSink:ProjectSink": ("logging.v2", "LogSink"),
    "gcp:monitoring/notificationChannel:NotificationChannel": ("monitoring.v3", "NotificationChannel"),
    "gcp:projects/iAMCustomRole:IAMCustomRole": ("iam.v1", "Role"),
    "gcp:secretmanager/secret:Secret": ("secretmanager.v1", "Secret"),
    "gcp:serviceaccount/account:Account": ("iam.v1", "ServiceAccount"),
    "gcp:servicenetworking/connection:Connection": ("servicenetworking.v1", "Connection"),
    "gcp:storage/bucket:Bucket": ("storage.v1", "Bucket"),
    "gcp:storage/bucketObject:BucketObject": ("storage.v1", "Object"),
}
"""Document and schema by type token."""


_TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
_BUCKET = "gcp:storage/bucket:Bucket"
_GROWTH = "gcp:compute/regionAutoscaler:RegionAutoscaler"

ELSEWHERE = {
    ("gcp:billing/budget:Budget", "allUpdatesRule"): "notificationsRule",
    ("gcp:compute/disk:Disk", "size"): "sizeGb",
    ("gcp:compute/firewall:Firewall", "allows"): "allowed",
    ("gcp:compute/firewall:Firewall", "allows[].protocol"): "allowed[].IPProtocol",
    ("gcp:compute/instance:Instance", "attachedDisks"): "disks",
    ("gcp:compute/instance:Instance", "bootDisk"): "disks[]",
    ("gcp:compute/instance:Instance", "bootDisk.initializeParams.image"): "disks[].initializeParams.sourceImage",
    ("gcp:compute/instance:Instance", "bootDisk.initializeParams.size"): "disks[].initializeParams.diskSizeGb",
    ("gcp:compute/instance:Instance", "bootDisk.initializeParams.type"): "disks[].initializeParams.diskType",
    ("gcp:compute/network:Network", "routingMode"): "routingConfig.routingMode",
    (_GROWTH, "autoscalingPolicy.cooldownPeriod"): "autoscalingPolicy.coolDownPeriodSec",
    (_GROWTH, "autoscalingPolicy.cpuUtilization.target"): "autoscalingPolicy.cpuUtilization.utilizationTarget",
    (_GROWTH, "autoscalingPolicy.maxReplicas"): "autoscalingPolicy.maxNumReplicas",
    (_GROWTH, "autoscalingPolicy.minReplicas"): "autoscalingPolicy.minNumReplicas",
    ("gcp:compute/regionBackendService:RegionBackendService", "connectionDrainingTimeoutSec"): (
        "connectionDraining.drainingTimeoutSec"
    ),
    ("gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager", "distributionPolicyZones[]"): (
        "distributionPolicy.zones[].zone"
    ),
    (_TEMPLATE, "disks[].diskType"): "disks[].initializeParams.diskType",
    (_TEMPLATE, "disks[].labels"): "disks[].initializeParams.labels",
    (_TEMPLATE, "disks[].sourceImage"): "disks[].initializeParams.sourceImage",
    (_TEMPLATE, "reservationAffinity.specificReservation"): "reservationAffinity",
    (_TEMPLATE, "reservationAffinity.type"): "reservationAffinity.consumeReservationType",
    ("gcp:projects/iAMCustomRole:IAMCustomRole", "permissions"): "includedPermissions",
    ("gcp:secretmanager/secret:Secret", "replication.auto"): "replication.automatic",
    (_BUCKET, "lifecycleRules"): "lifecycle.rule",
    (_BUCKET, "publicAccessPrevention"): "iamConfiguration.publicAccessPrevention",
    (_BUCKET, "uniformBucketLevelAccess"): "iamConfiguration.uniformBucketLevelAccess.enabled",
}
"""Paths in the documents of inputs that the provider names or nests differently."""

_URL, _HOW, _OTHER = "part of the URL", "what the provider does, not what Google has", "in another form"
PROVIDERS_OWN = {
    "*": {"location": _URL, "project": _URL, "region": _URL, "zone": _URL},
    "gcp:billing/budget:Budget": {"billingAccount": _URL},
    "gcp:compute/instance:Instance": {"allowStoppingForUpdate": _HOW, "metadata": _OTHER},
    "gcp:compute/routerNat:RouterNat": {"router": _URL},
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": {"bucketId": _URL},
    "gcp:projects/iAMCustomRole:IAMCustomRole": {"roleId": _URL},
    "gcp:secretmanager/secret:Secret": {"secretId": _URL},
    "gcp:serviceaccount/account:Account": {"accountId": _URL},
    "gcp:servicenetworking/connection:Connection": {"deletionPolicy": _HOW},
    "gcp:storage/bucketObject:BucketObject": {"source": _OTHER},
    _BUCKET: {"forceDestroy": _HOW, "lifecycleRules[].condition.withState": _OTHER},
    _TEMPLATE: {"metadata": _OTHER},
}
"""Inputs that are missing in all documents, with the reason: by type (`*`: any) and path."""


@dataclass(frozen=True)
class Mismatch:
    """An input that a document lacks."""

    path: str
    """Path, with `[]` for indices."""
    why: str


def mismatches(type: str, inputs: Mapping[str, Any]) -> Iterator[Mismatch]:
    """Yield names and values in the inputs of a resource of this type that its document lacks."""
    walk = _Walk.over(type)
    yield from walk.of(walk.root, inputs, "")


def is_known(type: str, path: str) -> bool:
    """Return whether the document has an input with the same name and path."""
    return _Walk.over(type).plain(path) is not None


def allowed_values(type: str, path: str) -> tuple[str, ...]:
    """Return the values that the document lists for an input; empty if it allows any value."""
    walk = _Walk.over(type)
    moved = ELSEWHERE.get((type, path))
    schema = walk.at(moved) if moved else walk.plain(path)
    return tuple(schema.get("enum", ())) if schema else ()


class _Walk:
    def __init__(self, type: str, schemas: Mapping[str, Any], root: str) -> None:
        self._type, self._schemas, self.root = type, schemas, schemas[root]
        self._own = PROVIDERS_OWN["*"] | PROVIDERS_OWN.get(type, {})

    @classmethod
    def over(cls, type: str) -> "_Walk":
        """Return the schema of a resource type."""
        document, schema = SCHEMAS[type]
        return cls(type, _document(document)["schemas"], schema)

    def plain(self, path: str) -> Mapping[str, Any] | None:
        """Return the document's properties with the provider's names."""
        schema: Mapping[str, Any] | None = self.root
        for step in path.split("."):
            schema = self._found(schema) if schema else None
            if schema and schema.get("type") == "array":
                schema = self._found(schema["items"])
            schema = self._property(schema, step.removesuffix("[]")) if schema and "properties" in schema else None
        schema = self._found(schema) if schema else None
        is_list = schema is not None and schema.get("type") == "array" and path.endswith("[]")
        return self._found(schema["items"]) if schema and is_list else schema

    def of(self, schema: Mapping[str, Any], value: Any, path: str) -> Iterator[Mismatch]:
        if value in (UNKNOWN, SECRET) or value is None:
            return
        schema = self._found(schema)
        if schema.get("type") == "array" and not isinstance(value, list):
            schema = self._found(schema["items"])  # the provider takes one where there is never another
        if isinstance(value, Mapping):
            if "properties" in schema:
                yield from self._object(schema, value, path)
            elif "additionalProperties" not in schema:
                yield Mismatch(path, "is an object")
        elif isinstance(value, list):
            if schema.get("type") != "array":
                yield Mismatch(path, "is a list")
                return
            for each in value:
                below = f"{path}[]"
                moved = ELSEWHERE.get((self._type, below))
                yield from self.of(self.at(moved) if moved else schema["items"], each, below)
        elif "enum" in schema and value not in schema["enum"]:
            yield Mismatch(path, f"{value} is none of {', '.join(schema['enum'])}")
        elif "properties" in schema:
            yield Mismatch(path, "is no object")

    def _object(self, schema: Mapping[str, Any], value: Mapping[str, Any], path: str) -> Iterator[Mismatch]:
        for name, each in value.items():
            below = f"{path}.{name}" if path else name
            if below in self._own:
                continue
            moved = ELSEWHERE.get((self._type, below))
            is_list = isinstance(each, list) and (self._type, f"{below}[]") in ELSEWHERE
            known = self.at(moved) if moved else {"type": "array"} if is_list else self._property(schema, name)
            if known is None:
                yield Mismatch(below, "is unknown")
            else:
                yield from self.of(known, each, below)

    def _property(self, schema: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
        names = {_plain(each): each for each in schema["properties"]}
        return schema["properties"].get(name) or schema["properties"].get(names.get(_plain(name), ""))

    def at(self, path: str) -> Mapping[str, Any]:
        """Return the content at a path of the document; raise KeyError if it is missing."""
        schema: Mapping[str, Any] = self.root
        for step in path.split("."):
            schema = self._found(self._found(schema)["properties"][step.removesuffix("[]")])
            schema = self._found(schema["items"]) if step.endswith("[]") else schema
        return schema

    def _found(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._schemas[schema["$ref"]] if "$ref" in schema else schema


def _plain(name: str) -> str:
    """Return a name without the provider's differences: capitals, and the plural."""
    return re.sub("s$", "", name.lower())


@cache
def _document(name: str) -> dict[str, Any]:
    text = files("googleapiclient") / "discovery_cache" / "documents" / f"{name}.json"
    return json.loads(text.read_text(encoding="utf-8"))
