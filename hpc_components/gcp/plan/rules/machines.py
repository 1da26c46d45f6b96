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
    """Machines must have a dedicated service account, or none.

    In many projects, the default Compute Engine account can edit the whole project, and so can every job that gets
    the account's token from the metadata server. Source: Compute Engine documentation, "Service accounts"; CIS Google
    Cloud Platform Foundation Benchmark, "instances are not configured to use the default service account".
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
            reason="the machine uses the default Compute Engine service account",
            remedy="create a service account with only the roles that the machine needs, and set "
            "serviceAccount.email to its address",
        )


@resource_rule("HPC-PLN-017", Level.WARNING)
def keys_of_the_machine(resource: Resource) -> Iterator[ResourceFinding]:
    """Machines must not accept SSH keys from the project's metadata.

    Otherwise, anyone who can write that metadata can become root on every machine. Enabling OS Login is also
    sufficient, because machines with OS Login ignore keys in metadata. Source: Compute Engine documentation,
    "Restrict SSH keys from VMs"; CIS Google Cloud Platform Foundation Benchmark, "Block Project-wide SSH keys".
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
            reason="anyone whose SSH key is in the project's metadata can log in",
            remedy='in the metadata, set block-project-ssh-keys: "true" or enable-oslogin: "TRUE"',
        )


@stack_rule("HPC-PLN-018", Level.WARNING)
def rdma_in_one_zone(resources: Resources) -> Iterator[ResourceFinding]:
    """Machines with Cloud RDMA that are launched together must be in the same zone.

    An RDMA network and all its cards belong to one zone. Source: Google Cloud's VPC documentation, "RDMA network
    profiles".
    """
    for group in resources.of_type(*GROUPS):
        zones = items(group.inputs, "distributionPolicyZones")
        templates = resources.needed(group, TEMPLATES[0]) + resources.needed(group, TEMPLATES[1])
        if len(zones) > 1 and any(map(_has_rdma, templates)):
            yield ResourceFinding(
                resource=group,
                path="distributionPolicyZones",
                value=len(zones),
                reason=f"machines with RDMA are launched in {len(zones)} zones, but an RDMA network belongs to one "
                "zone",
                remedy="create one group per zone",
            )


@stack_rule("HPC-PLN-019", Level.WARNING)
def no_replacement_under_jobs(resources: Resources) -> Iterator[ResourceFinding]:
    """Machines with RDMA must not be replaced automatically when their template changes.

    A proactive update policy replaces machines one after another and kills the jobs on them. A job that runs on many
    machines dies when the first of them is replaced. Source: Compute Engine documentation, "Automatically apply VM
    configuration updates in a MIG".
    """
    for group in resources.of_type(*GROUPS):
        templates = resources.needed(group, TEMPLATES[0]) + resources.needed(group, TEMPLATES[1])
        if text_at(group.inputs, "updatePolicy.type") == "PROACTIVE" and any(map(_has_rdma, templates)):
            yield ResourceFinding(
                resource=group,
                path="updatePolicy.type",
                value="PROACTIVE",
                reason="when the template changes, machines are replaced while jobs are running on them",
                remedy="use type: OPPORTUNISTIC",
            )


@resource_rule("HPC-PLN-023", Level.WARNING)
def notice_of_spot_machines(resource: Resource) -> Iterator[ResourceFinding]:
    """Spot machines should request two minutes between the preemption notice and their shutdown.

    Otherwise, a machine shuts down as soon as the notice is given. Programs then have only the 30 seconds that the
    shutdown takes, and part of that time passes before they receive the notice. Source: Compute API v1,
    `scheduling.preemptionNoticeDuration` ("If not specified, there will be no wait before the G2 Soft Off"); Compute
    Engine documentation, "Spot VMs".
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
            reason="the machine shuts down as soon as the notice is given, so jobs have almost no time to save "
            "their state",
            remedy="set scheduling.preemptionNoticeDuration: {seconds: 120}",
        )


def _has_rdma(template: Resource) -> bool:
    cards = items(template.inputs, "networkInterfaces")
    return any(str(each.get("nicType", "")).endswith("RDMA") for each in cards if isinstance(each, Mapping))
