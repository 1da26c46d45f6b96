"""The pages name the rights that bringing up each kind of resource in the stacks takes."""

import re
from pathlib import Path

import pytest
from stack_recordings import recorded, stacks_of

DOCS = Path(__file__).parents[2] / "docs"

AZURE = {
    "authorization:RoleAssignment": "User Access Administrator",
    "authorization:RoleDefinition": "User Access Administrator",
    "consumption:Budget": "Cost Management Contributor",
    **dict.fromkeys(
        ("compute", "keyvault", "managedidentity", "monitor", "netapp", "network", "operationalinsights",
         "privatedns", "resources", "storage", "storagecache"),
        "Contributor",
    ),
}  # fmt: skip
"""By type or module. `Contributor` has all actions but writes of Microsoft.Authorization; `Role Based Access Control
Administrator` has those of roleAssignments alone. Source: Azure built-in roles, "Privileged", 2026-11-24."""

GCP = {
    "billing": "roles/billing.costsManager",
    "compute": "roles/compute.admin",
    "filestore": "roles/file.editor",
    "logging": "roles/logging.configWriter",
    "lustre": "roles/lustre.admin",
    "monitoring": "roles/monitoring.notificationChannelEditor",
    "projects/iAMCustomRole:IAMCustomRole": "roles/iam.roleAdmin",
    "projects/iAMMember:IAMMember": "roles/resourcemanager.projectIamAdmin",
    "projects": "roles/serviceusage.serviceUsageAdmin",
    "secretmanager": "roles/secretmanager.admin",
    "serviceaccount": "roles/iam.serviceAccountAdmin",
    "servicenetworking": "roles/servicenetworking.networksAdmin",
    "storage": "roles/storage.admin",
}
"""Source: IAM, "IAM roles and permissions index" (iam-dataset, gcp/roles), 2026-11-24."""

AWS = {
    "iam": "IAMFullAccess",
    **dict.fromkeys(
        ("autoscaling", "budgets", "cloudwatch", "ebs", "ec2", "efs", "fsx", "imagebuilder", "lambda", "lb", "s3",
         "secretsmanager", "ssm", "vpc"),
        "PowerUserAccess",
    ),
}  # fmt: skip
"""Source: AWS Managed Policy Reference, PowerUserAccess: all but iam, organizations and account, 2026-11-24."""

PAGES = {"aws": ("operate.md", AWS), "azure": ("azure.md", AZURE), "gcp": ("gcp.md", GCP)}


@pytest.mark.parametrize("cloud", PAGES)
def test_the_page_names_the_right_to_make_each_kind_of_resource(cloud: str) -> None:
    page, rights = PAGES[cloud]
    text = (DOCS / page).read_text(encoding="utf-8").partition("## Before the first `pulumi up`")[2]
    named = set(re.findall(r"`([^`]+)`", text.partition("\n## ")[0]))
    types = {
        each.type for stack in stacks_of(cloud) for each in recorded(stack, preview=False).resources if each.custom
    }
    needed = set()
    for type in types:
        package, _, rest = type.partition(":")
        if package != "pulumi":
            module = rest.partition("/")[0].partition(":")[0]
            needed.add(rights[rest] if rest in rights else rights[module])
    assert needed <= named
