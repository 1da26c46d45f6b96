import re
from collections.abc import Iterator

from hpc_components.gcp.catalog.resource_ids import id_parts, wrong_id
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

SHOWN_BY = "gcloud billing projects describe {project} --format 'value(billingAccountName)'"


@rule("HPC-BUD-009", Level.ERROR)
def budget_of_account(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A cluster with a budget must specify its billing account.

    A budget belongs to a billing account, not to a project. Source: Cloud Billing documentation, "Create, edit, or
    delete budgets and budget alerts", permissions.
    """
    if cluster.budget is not None and cluster.billing_account is None:
        yield Problem(
            path=("budget",),
            reason="a budget belongs to a billing account, and the description doesn't specify one",
            remedy="add billing_account: 012345-6789AB-CDEF01 next to budget (to find your account's id: "
            f"{SHOWN_BY.format(project=cluster.project)}), or remove budget",
        )


@rule("HPC-BUD-010", Level.ERROR)
def billing_account_id(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A billing account id must have three groups of six upper-case hexadecimal digits.

    Source: Cloud Billing API reference, billingAccounts, name.
    """
    id = cluster.billing_account
    if id is None or id_parts("billing_account", id):
        return
    found = re.search(r"[0-9a-fA-F]{6}-[0-9a-fA-F]{6}-[0-9a-fA-F]{6}", id)
    yield Problem(
        path=("billing_account",),
        value=id,
        reason=f"{id!r} is not a valid billing account id",
        remedy=f"use {found[0].upper()}"
        if found
        else f"write it like 012345-6789AB-CDEF01; to find it: {SHOWN_BY.format(project=cluster.project)}",
    )


@rule("HPC-BUD-011", Level.INFO)
def account_without_budget(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`billing_account` should not be specified without a budget.

    Nothing else uses the billing account. Source: Cloud Billing documentation, "Create, edit, or delete budgets and
    budget alerts".
    """
    if cluster.billing_account is not None and cluster.budget is None:
        yield Problem(
            path=("billing_account",),
            value=cluster.billing_account,
            reason="without a budget, the billing account has no effect, and no cost alerts are sent",
            remedy="add budget: {monthly: 1000, notify: [hpc-admins@example.org]}, or remove billing_account",
        )


@rule("HPC-BUD-012", Level.INFO)
def budget_by_label(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """To create a budget, you need permissions on the billing account. Permissions on the project are not enough.

    Source: Cloud Billing documentation, "Create, edit, or delete budgets and budget alerts", permissions.
    """
    if (
        cluster.budget is not None
        and cluster.billing_account is not None
        and id_parts("billing_account", cluster.billing_account)
    ):
        yield Problem(
            path=("billing_account",),
            value=cluster.billing_account,
            reason="whoever runs pulumi up needs permissions on the billing account, which project owners often "
            "don't have",
            remedy="ask the billing account's administrator to grant that person roles/billing.costsManager on the "
            "account",
        )


@rule("HPC-BUD-017", Level.ERROR)
def budget_topic(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A budget's Pub/Sub topic must be specified by its id.

    Source: Cloud Billing Budget API reference, billingAccounts.budgets, NotificationsRule, pubsubTopic.
    """
    topic = cluster.budget.pubsub_topic if cluster.budget else None
    if topic is not None and (wrong := wrong_id("topic", topic)):
        yield Problem(path=("budget", "pubsub_topic"), value=topic, reason=wrong[0], remedy=wrong[1])
