import re
from typing import get_args

from hpc_components.catalog.id_forms import IdForm, IdForms
from hpc_components.gcp.catalog.resource_ids import IdKind, id_form, id_parts, without_host

_TEMPLATE = re.compile(r"projects/[^/]+/(?:global|regions/[^/]+)/instanceTemplates/[^/]+")


def _resource(kind: IdKind) -> IdForm:
    title, form = id_form(kind)
    if not title.endswith(("id", "email")):
        title = f"the id of {title}"
    return IdForm(title=title, example=form, matches=lambda text: id_parts(kind, without_host(text)) is not None)


_FORMS = {
    **{kind: _resource(kind) for kind in get_args(IdKind)},
    "instance_template": IdForm(
        title="the id of an instance template",
        example="projects/<project>/global/instanceTemplates/<name>",
        matches=lambda text: _TEMPLATE.match(without_host(text)) is not None,
    ),
    "bucket_url": IdForm(
        title="the URL of a bucket", example="gs://<bucket>", matches=lambda text: text.startswith("gs://")
    ),
    "bucket_name": IdForm(title="the name of a bucket", example="my-hpc-data"),
    "project": IdForm(title="the id of a project", example="my-project"),
    "project_number": IdForm(title="the number of a project", example="123456789012"),
    "range_name": IdForm(title="the name of an address range", example="my-range"),
}

_IMAGE = ("image", "image_family")
_FIELDS: dict[str, tuple[str, ...]] = {
    "AuditTrailArgs.project": ("project",),
    "BakedImageArgs.project": ("project",),
    "BucketRef.bucket": ("bucket_name",),
    "BucketRef.url": ("bucket_url",),
    "CardSubnet.network": ("network",),
    "CardSubnet.subnet": ("subnet",),
    "ClusterBudgetArgs.billing_account": ("billing_account",),
    "ClusterBudgetArgs.pubsub_topic": ("topic",),
    "ClusterBudgetArgs.project": ("project",),
    "ClusterBudgetArgs.project_number": ("project_number",),
    "CompactComputeFleetArgs.image": _IMAGE,
    "CompactComputeFleetArgs.policy": ("resource_policy",),
    "CompactComputeFleetArgs.project": ("project",),
    "CompactComputeFleetArgs.reservation": ("reservation",),
    "ConfigBucketArgs.project": ("project",),
    "ConfigStore.bucket": ("bucket_name",),
    "DataBucketArgs.bucket_name": ("bucket_name",),
    "DataBucketArgs.project": ("project",),
    "DataIdentityArgs.project": ("project",),
    "FirewallRulesArgs.head": ("service_account",),
    "FirewallRulesArgs.login": ("service_account",),
    "FirewallRulesArgs.nodes": ("service_account",),
    "FirewallRulesArgs.project": ("project",),
    "FleetRef.images": _IMAGE,
    "FleetRef.policy": ("resource_policy",),
    "FleetRef.service_account": ("service_account",),
    "FleetRef.subnets": ("subnet",),
    "FleetRef.templates": ("instance_template",),
    "HomeFilesystemArgs.kms_key": ("kms_key",),
    "HomeFilesystemArgs.project": ("project",),
    "Identity.email": ("service_account",),
    "LoginNodeNLBArgs.image": _IMAGE,
    "ImageBuilderArgs.project": ("project",),
    "LoginNodeNLBArgs.project": ("project",),
    "LustreFilesystemArgs.export_to": ("bucket_url",),
    "LustreFilesystemArgs.import_from": ("bucket_url",),
    "LustreFilesystemArgs.kms_key": ("kms_key",),
    "LustreFilesystemArgs.project": ("project",),
    "Network.id": ("network",),
    "Network.services_range": ("range_name",),
    "Network.subnets": ("subnet",),
    "NodeIdentityArgs.project": ("project",),
    "NodeLogsArgs.project": ("project",),
    "NodeSecretsArgs.project": ("project",),
    "PlacementGroupArgs.project": ("project",),
    "ProjectServicesArgs.project": ("project",),
    "RootDisk.kms_key": ("kms_key",),
    "SecretRef.id": ("secret",),
    "SlurmHeadNodeArgs.image": _IMAGE,
    "SlurmHeadNodeArgs.project": ("project",),
    "SlurmHeadNodeArgs.subnet_id": ("subnet",),
    "StateDisk.kms_key": ("kms_key",),
    "VpcArgs.project": ("project",),
}

ID_FORMS = IdForms(forms=_FORMS, fields=_FIELDS)
"""Component arguments that are ids, names or URLs, with their formats."""
