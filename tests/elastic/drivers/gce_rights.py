"""What Google Cloud asks its bindings about a call: permission, kind of resource, and the resource's name or id."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hpc_components.gcp.catalog.image_projects import is_public_image

from .fake_gce import BUCKET, FakeGce
from .gce_shapes import FaultError

Need = tuple[str, str, str]
Holds = Callable[[str, str, str], bool]
"""Whether the caller has a permission on a resource of a kind with this name or id."""
_TABLE = json.loads((Path(__file__).parent / "gce_permissions.json").read_text())
CALLS: Mapping[str, Mapping[str, Sequence[str]]] = _TABLE["calls"]
TEMPLATE: Mapping[str, Any] = _TABLE["template"]


def enforce(
    gce: FakeGce,
    templates: Mapping[str, Mapping[str, Any]],
    holds: Holds,
    needs: Callable[[Need], None] = lambda need: None,
) -> None:
    """Let Google refuse what the caller may not do. `templates` are the inputs of the plan's, by id."""

    def check(call: str, names: tuple[str, ...], body: bytes) -> None:
        for need in needed(gce, templates, call, names, body):
            needs(need)
            if not holds(*need):
                permission, _, name = need
                raise FaultError("forbidden", f"Required '{permission}' permission for '{name}'", 403)

    gce.on_request = check


def needed(
    gce: FakeGce, templates: Mapping[str, Mapping[str, Any]], call: str, names: tuple[str, ...], body: bytes
) -> Iterator[Need]:
    """What a call needs. KeyError for one that the table does not know."""
    rule = CALLS[call]
    yield from ((each, "project", "") for each in rule.get("project", ()))
    yield from ((each, "bucket", BUCKET) for each in rule.get("bucket", ()))
    if call == "read object" and names[0] not in gce.objects:
        yield from ((each, "bucket", BUCKET) for each in rule["missing"])
    document = json.loads(body) if call == "launch" else {}
    for machine in document.get("perInstanceProperties") or list(names[-1:]):
        for kind in ("instance", "disk"):
            yield from ((each, kind, machine) for each in rule.get(kind, ()))
        if document:
            template = templates[document["sourceInstanceTemplate"]]
            yield from _of_template({**template, **document["instanceProperties"]}, machine)


def _of_template(template: Mapping[str, Any], machine: str) -> Iterator[Need]:
    """What making a machine of this template needs, by what the template has. KeyError for an unknown part."""
    unknown = [part for part in template if part not in TEMPLATE and part not in TEMPLATE["none"]]
    if unknown:
        raise KeyError(unknown[0])
    for part in ("labels", "metadata", "tags", "serviceAccount", "minCpuPlatform", "deletionProtection"):
        if template.get(part):
            yield from ((each, "instance", machine) for each in TEMPLATE[part]["instance"])
    if account := template.get("serviceAccount"):
        yield from ((each, "account", account["email"]) for each in TEMPLATE["serviceAccount"]["account"])
    if template.get("resourcePolicies"):
        yield from ((each, "project", "") for each in TEMPLATE["resourcePolicies"]["project"])
    for disk in template["disks"]:
        if disk.get("labels"):
            yield from ((each, "disk", machine) for each in TEMPLATE["disk labels"]["disk"])
        image = disk.get("sourceImage", "")
        if image and not is_public_image(image):
            yield from ((each, "image", image) for each in TEMPLATE["image"]["image"])
    for interface in template["networkInterfaces"]:
        for part in ("subnetwork", "accessConfigs"):
            if interface.get(part):
                yield from ((each, "subnet", interface["subnetwork"]) for each in TEMPLATE[part]["subnet"])
