"""Rules on Google's machines."""

from collections.abc import Iterator, Mapping

from hpc_components.gcp.plan.types import GROUPS, MACHINE, TEMPLATES
from hpc_components.preview.nested import is_known, items, number_at, text_at, value_at
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule, stack_rule

_BLOCKED = "metadata.block-project-ssh-keys"
_OS_LOGIN = "metadata.enable-oslogin"
_NOTICE = "scheduling.preemptionNoticeDuration.seconds"


@resource_rule("HPC-PLN-016", Level.WARNING)
def account_of_their_own(resource: Resource) -> Iterator[ResourceFinding]:
    """Machines have a service account of their own, or none.

    The default account of Compute Engine is an editor of the whole project in many of them, and so is every job that
    asks the metadata server. Source: Compute Engine documentation, "Service accounts"; CIS Google Cloud Platform
    Foundation Benchmark, "instances are not configured to use the default service account".
    """
    given = value_at(resource.inputs, "serviceAccount")
    if resource.type not in (MACHINE, *TEMPLATES) or not isinstance(given, Mapping):
        return
    email = given.get("email")
    if email is None or str(email).endswith("-compute@developer.gserviceaccount.com"):
        yield ResourceFinding(
            resource=resource,
            path="serviceAccount.email",
            value=email,
            reason="it runs as the default account of Compute Engine",
            remedy="make a service account with the roles that it needs, and name it",
        )


@resource_rule("HPC-PLN-017", Level.WARNING)
def keys_of_the_machine(resource: Resource) -> Iterator[ResourceFinding]:
    """Machines take no SSH keys from the project's metadata.

    Else whoever may write that metadata is root on every machine. With OS Login, keys in metadata count for nothing.
    Source: Compute Engine documentation, "Restrict SSH keys from VMs"; CIS Google Cloud Platform Foundation
    Benchmark, "Block Project-wide SSH keys".
    """
    inputs = resource.inputs
    if (
        resource.type not in (MACHINE, *TEMPLATES)
        or not is_known(inputs, _BLOCKED)
        or not is_known(inputs, _OS_LOGIN)
    ):
        return
    said = (value_at(inputs, _BLOCKED), value_at(inputs, _OS_LOGIN))
    if not any(str(each).lower() in ("true", "1", "yes", "y") for each in said):
        yield ResourceFinding(
            resource=resource,
            path=_BLOCKED,
            value=said[0],
            reason="everybody with a key in the project's metadata may log in",
            remedy='set the metadata block-project-ssh-keys: "true", or enable-oslogin: "TRUE"',
        )


@stack_rule("HPC-PLN-018", Level.WARNING)
def rdma_in_one_zone(resources: Resources) -> Iterator[ResourceFinding]:
    """Machines with RDMA that are launched together stand in one zone.

    A network for RDMA is one zone's, and so is each of its cards. Source: Google Cloud's VPC documentation, "RDMA
    network profiles".
    """
    for group in resources.of_type(*GROUPS):
        zones = items(group.inputs, "distributionPolicyZones")
        templates = resources.needed(group, TEMPLATES[0]) + resources.needed(group, TEMPLATES[1])
        if len(zones) > 1 and any(map(_has_rdma, templates)):
            yield ResourceFinding(
                resource=group,
                path="distributionPolicyZones",
                value=len(zones),
                reason=f"machines with RDMA are launched in {len(zones)} zones",
                remedy="make one group for each zone",
            )


@stack_rule("HPC-PLN-019", Level.WARNING)
def no_replacement_under_jobs(resources: Resources) -> Iterator[ResourceFinding]:
    """Google does not replace machines with RDMA by itself when their template changes.

    A proactive policy ends all jobs, machine after machine; a job on many machines ends with the first. Source:
    Compute Engine documentation, "Automatically apply VM configuration updates in a MIG".
    """
    for group in resources.of_type(*GROUPS):
        templates = resources.needed(group, TEMPLATES[0]) + resources.needed(group, TEMPLATES[1])
        if text_at(group.inputs, "updatePolicy.type") == "PROACTIVE" and any(map(_has_rdma, templates)):
            yield ResourceFinding(
                resource=group,
                path="updatePolicy.type",
                value="PROACTIVE",
                reason="a new template replaces machines under their jobs",
                remedy="use type: OPPORTUNISTIC",
            )


@resource_rule("HPC-PLN-023", Level.WARNING)
def notice_of_spot_machines(resource: Resource) -> Iterator[ResourceFinding]:
    """Spot machines ask for two minutes between their notice and the end.

    A machine that asks for nothing is switched off together with its notice: what runs on it has the 30 seconds of a
    shutdown, and some of them before any program has heard of it. Source: Compute API v1,
    `scheduling.preemptionNoticeDuration` ("If not specified, there will be no wait before the G2 Soft Off");
    Compute Engine documentation, "Spot VMs".
    """
    if (
        resource.type not in (MACHINE, *TEMPLATES)
        or text_at(resource.inputs, "scheduling.provisioningModel") != "SPOT"
    ):
        return
    seconds = number_at(resource.inputs, _NOTICE)
    if is_known(resource.inputs, _NOTICE) and not seconds:
        yield ResourceFinding(
            resource=resource,
            path=_NOTICE,
            value=seconds,
            reason="the machine is switched off together with its notice, and jobs can hardly save what they have",
            remedy="set scheduling.preemptionNoticeDuration: {seconds: 120}",
        )


def _has_rdma(template: Resource) -> bool:
    cards = items(template.inputs, "networkInterfaces")
    return any(str(each.get("nicType", "")).endswith("RDMA") for each in cards if isinstance(each, Mapping))
