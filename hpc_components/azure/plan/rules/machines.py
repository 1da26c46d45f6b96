from collections.abc import Iterator
from dataclasses import asdict

from hpc_components.azure.images.offer import ImageOrder, NamedPlan, refusals
from hpc_components.azure.plan.types import MACHINE, SCALE_SET
from hpc_components.catalog.machines import machine
from hpc_components.preview.nested import is_known, items, text_at, value_at
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level, dotted
from hpc_components.spec.plan_rule import resource_rule
from hpc_components.spec.surfaces import Key, Keys, Surface, problem_of

_OS = {MACHINE: "osProfile", SCALE_SET: "virtualMachineProfile.osProfile"}
_PLAN_INPUTS: Keys = {"plan": Key(("plan",), asdict)}
_STORAGE = {MACHINE: "storageProfile", SCALE_SET: "virtualMachineProfile.storageProfile"}


@resource_rule("HPC-PLN-012", Level.WARNING)
def keys_not_passwords(resource: Resource) -> Iterator[ResourceFinding]:
    """Linux machines should accept SSH keys but no passwords.

    A password can be guessed, and it is stored in Pulumi's state and in Azure's deployment. Source: Azure
    documentation, "Security recommendations for virtual machines in Azure"; Azure Policy, "Authentication to Linux
    machines should require SSH keys".
    """
    profile = _OS.get(resource.type, "")
    flag = f"{profile}.linuxConfiguration.disablePasswordAuthentication"
    if not profile or not is_known(resource.inputs, flag) or value_at(resource.inputs, profile) is None:
        return
    is_windows = value_at(resource.inputs, f"{profile}.windowsConfiguration") is not None
    if not is_windows and value_at(resource.inputs, flag) is not True:
        yield ResourceFinding(
            resource=resource,
            path=flag,
            value=value_at(resource.inputs, flag),
            reason="the administrator can log in with a password",
            remedy="set disablePasswordAuthentication: true, and add a public key",
        )


@resource_rule("HPC-PLN-013", Level.WARNING)
def infiniband_in_one_group(resource: Resource) -> Iterator[ResourceFinding]:
    """A scale set of InfiniBand machines should use a single placement group in one zone.

    InfiniBand connects only machines in the same placement group; jobs that span groups fail or fall back to
    Ethernet. If the machines don't need InfiniBand, silence this rule. Source: Azure documentation, "Enable
    InfiniBand on HPC VMs" and "Set up Message Passing Interface for HPC" (one scale set or availability set);
    "Working with large Virtual Machine Scale Sets".
    """
    if not _has_infiniband(resource) or text_at(resource.inputs, "orchestrationMode") == "Flexible":
        return
    zones = items(resource.inputs, "zones")
    if resource.inputs.get("singlePlacementGroup") is False or len(zones) > 1:
        path = "zones" if len(zones) > 1 else "singlePlacementGroup"
        yield ResourceFinding(
            resource=resource,
            path=path,
            value=len(zones) if len(zones) > 1 else False,
            reason="the scale set may spread its machines over several placement groups, but InfiniBand works only "
            "within one",
            remedy="use singlePlacementGroup: true, and one zone",
        )


@resource_rule("HPC-PLN-014", Level.WARNING)
def no_upgrade_under_jobs(resource: Resource) -> Iterator[ResourceFinding]:
    """Azure should not automatically replace or restart InfiniBand machines when the scale set's model changes.

    With an automatic or rolling policy, a new image restarts one machine after another, which eventually ends all
    jobs; a multi-node job fails as soon as the first of its machines restarts. Source: Azure documentation, "Upgrade
    policy modes for Virtual Machine Scale Sets", "Automatic OS image upgrades".
    """
    mode = text_at(resource.inputs, "upgradePolicy.mode")
    by_itself = value_at(resource.inputs, "upgradePolicy.automaticOSUpgradePolicy.enableAutomaticOSUpgrade") is True
    if _has_infiniband(resource) and (mode in ("Automatic", "Rolling") or by_itself):
        yield ResourceFinding(
            resource=resource,
            path="upgradePolicy",
            value=mode,
            reason="a model change or a new image restarts machines while jobs are running",
            remedy="use mode: Manual, without automatic OS upgrades",
        )


@resource_rule("HPC-PLN-024", Level.ERROR)
def purchase_plan_of_image(resource: Resource) -> Iterator[ResourceFinding]:
    """Machines must specify a purchase plan if their image is sold with one, and must not specify one otherwise.

    Azure refuses to create a machine whose purchase plan does not match its image. Source: Azure documentation,
    "Supply Azure Marketplace purchase plan information"; "Common error codes for Azure virtual machines",
    VMMarketplaceInvalidInput; the catalogue's offers.
    """
    profile = _STORAGE.get(resource.type, "")
    image = f"{profile}.imageReference"
    names = [text_at(resource.inputs, f"{image}.{key}") for key in ("publisher", "offer", "sku", "version")]
    publisher, offer, sku, version = names
    if not profile or not is_known(resource.inputs, "plan") or not (publisher and offer and sku and version):
        return
    urn, has_plan = f"{publisher}:{offer}:{sku}:{version}", value_at(resource.inputs, "plan") is not None
    values = {"image": f"{publisher}:{offer}:{sku}"} | ({"plan": urn} if has_plan else {})
    surface = Surface(keys={**_PLAN_INPUTS, "image": Key((*profile.split("."), "imageReference"))}, values=values)
    for refusal in refusals(ImageOrder(image=urn, plan=NamedPlan() if has_plan else None)):
        if refusal.field in values and "plan" in refusal.changes:
            problem = problem_of(refusal, surface)
            yield ResourceFinding(
                resource=resource,
                path=dotted(problem.path),
                value=problem.value,
                reason=problem.reason,
                remedy=problem.remedy,
            )


def _has_infiniband(resource: Resource) -> bool:
    name = text_at(resource.inputs, "sku.name")
    found = machine("azure", name) if name and resource.type == SCALE_SET else None
    return found is not None and found.has_fabric
