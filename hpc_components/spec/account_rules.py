"""Titles and explanations of the checks of `hpc preflight`. Their ids have the form `HPC-PRE-...`.

The checks themselves ask a cloud. Their texts are kept here so that `hpc rules` and `silence` work without one.
"""

from enum import StrEnum

from hpc_components.spec.findings import Level
from hpc_components.spec.rule import RuleText


class AccountFault(StrEnum):
    """Ways in which an account may not suit a description."""

    ACCOUNT = "HPC-PRE-001"
    PLACE = "HPC-PRE-002"
    MACHINE = "HPC-PRE-003"
    QUOTA = "HPC-PRE-004"
    SERVICE = "HPC-PRE-005"
    RIGHTS = "HPC-PRE-006"
    IMAGE = "HPC-PRE-007"
    IMAGE_FIT = "HPC-PRE-008"
    NETWORK = "HPC-PRE-009"
    NETWORK_FIT = "HPC-PRE-010"
    ADDRESSES = "HPC-PRE-011"
    FILE_SYSTEM = "HPC-PRE-012"
    RESERVATION = "HPC-PRE-013"
    RESERVATION_FIT = "HPC-PRE-014"
    BUCKET = "HPC-PRE-015"
    BUCKET_PLACE = "HPC-PRE-016"
    NAMED = "HPC-PRE-017"
    TAKEN = "HPC-PRE-018"
    TERMS = "HPC-PRE-019"
    POLICY = "HPC-PRE-020"


_TEXTS = (
    (
        AccountFault.ACCOUNT,
        Level.ERROR,
        "The account must be active",
        "A disabled subscription, or a project that is being deleted, accepts no new resources.",
    ),
    (
        AccountFault.PLACE,
        Level.ERROR,
        "The account must be able to use the region and its zones",
        "Newer regions must be enabled for each account, and some zones are closed to some accounts.",
    ),
    (
        AccountFault.MACHINE,
        Level.ERROR,
        "The cloud must sell each machine type to this account in its zones",
        "The catalogue knows where a type is sold in general. Only the account itself shows restrictions, and zones\n"
        "that were added since the catalogue was written. It is an error if none of a machine's zones sells the\n"
        "type, and a warning if one of several doesn't.",
    ),
    (
        AccountFault.QUOTA,
        Level.ERROR,
        "The account's quotas must be sufficient for the cluster with all queues full",
        "The plan knows the need, and the cloud knows the limit. If the limit is sufficient only without what the\n"
        "account already uses, this is a warning, because the usage may be this cluster's own.",
    ),
    (
        AccountFault.SERVICE,
        Level.ERROR,
        "The services that the cluster needs must be enabled",
        "Services that the stack itself enables are not included.",
    ),
    (
        AccountFault.RIGHTS,
        Level.ERROR,
        "The caller must be allowed to create every resource of the plan",
        "The cloud's own simulation of permissions is asked about each action. Conditions that depend on a request,\n"
        "and policies of an organization, may still refuse what the simulation allows.",
    ),
    (
        AccountFault.IMAGE,
        Level.ERROR,
        "Each image must exist, be usable and be visible to the account",
        "A launch with a missing or deprecated image fails only when the first job needs a node.",
    ),
    (
        AccountFault.IMAGE_FIT,
        Level.ERROR,
        "Each image must have its machine's architecture",
        "An image for the wrong architecture doesn't boot, and some clouds refuse the launch.",
    ),
    (
        AccountFault.NETWORK,
        Level.ERROR,
        "Existing networks, subnets and security groups must exist",
        "An id that belongs to another account or region is reported as missing as well.",
    ),
    (
        AccountFault.NETWORK_FIT,
        Level.ERROR,
        "Existing subnets and security groups must be as described",
        "The head node's fixed address, Slurm's addresses and the firewall rules are derived from the described\n"
        "ranges, so a different range cuts the cluster's nodes off.",
    ),
    (
        AccountFault.ADDRESSES,
        Level.WARNING,
        "Existing subnets should have a free address for each node when all queues are full",
        "Other machines in the subnet use addresses as well. Those of this cluster are included in the usage.",
    ),
    (
        AccountFault.FILE_SYSTEM,
        Level.ERROR,
        "Existing file systems must exist, be available and be as described",
        "A node that can't mount a file system doesn't join the cluster.",
    ),
    (
        AccountFault.RESERVATION,
        Level.ERROR,
        "Each reservation must exist and be active",
        "A reservation that hasn't begun yet is a warning: the queue's jobs wait until it does.",
    ),
    (
        AccountFault.RESERVATION_FIT,
        Level.ERROR,
        "Each reservation must be for the queue's machine type, zone and number of nodes",
        "A launch into a reservation for another type or zone is refused. With fewer reserved machines than the\n"
        "queue's maximum, which is a warning, the last nodes can't be launched.",
    ),
    (
        AccountFault.BUCKET,
        Level.ERROR,
        "Existing buckets must exist and be accessible",
        "The caller's own access is asked. The nodes' access depends on the permissions that the stack creates.",
    ),
    (
        AccountFault.BUCKET_PLACE,
        Level.WARNING,
        "Existing buckets should be in the cluster's region",
        "Traffic between regions is slower and billed, and some links to file systems require the same region.",
    ),
    (
        AccountFault.NAMED,
        Level.ERROR,
        "Key pairs, secrets, encryption keys and identities in the description must exist and be usable",
        "A key that is disabled, or a secret that is about to be deleted, stops the first node that needs it.",
    ),
    (
        AccountFault.TAKEN,
        Level.ERROR,
        "The names of new resources must be free",
        "Bucket names are unique among all accounts. If a name is taken in your own account, this is only an info,\n"
        "because the resource may be this stack's own.",
    ),
    (
        AccountFault.TERMS,
        Level.ERROR,
        "The terms of images with a purchase plan must be accepted",
        "The first launch fails otherwise. Terms are accepted once for each subscription.",
    ),
    (
        AccountFault.POLICY,
        Level.ERROR,
        "No policy of the account's organization may forbid what the plan creates",
        "Such policies hold for whoever runs `pulumi up`, whatever their permissions. It is a warning if the policy\n"
        "may depend on something that was not asked.",
    ),
)

ACCOUNT_RULES = {
    fault: RuleText(
        fault.value, level, title, f"{why}\nAsked by `hpc preflight` with your own credentials; nothing is changed."
    )
    for fault, level, title, why in _TEXTS
}
