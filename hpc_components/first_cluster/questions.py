from dataclasses import dataclass

from hpc_components.first_cluster.reading import NOTHING


@dataclass(frozen=True)
class Question:
    """A question of `hpc init`, and the field of `Answers` that it sets."""

    field: str
    text: str

    @property
    def flag(self) -> str:
        return "--" + self.field.replace("_", "-")


QUESTIONS = (
    Question("cloud", "Cloud"),
    Question("region", "Region"),
    Question("project", "Id of the cloud project"),
    Question("workload", "Purpose of the cluster"),
    Question("machine", "Machine type of the compute nodes"),
    Question("max_nodes", "Maximum number of compute nodes"),
    Question("scratch", f"Size of a Lustre file system for scratch data, e.g. 1.2TiB, or {NOTHING}"),
    Question("bucket", "Bucket for users and jobs, yes or no"),
    Question("ssh_from", f"Address ranges from which users log in by SSH, or {NOTHING}"),
    Question("login_nodes", "Login nodes in addition to the head node, yes or no"),
    Question("key_pair", f"Name of the key pair for the nodes, or {NOTHING}"),
    Question("ssh_key", f"Your public SSH key or the name of its file, or {NOTHING}"),
    Question(
        "users",
        "Users with their public SSH keys or key files, the administrator first, e.g. ada=ada.pub,ben=ben.pub, or "
        f"{NOTHING}",
    ),
    Question("budget", f"Monthly budget in USD, or {NOTHING}"),
    Question("billing_account", "Id of the billing account for the budget"),
    Question("notify", "E-mail addresses for budget alerts"),
    Question("name", "Name of the cluster"),
)

PATHS = {
    "project": ("project",),
    "billing_account": ("billing_account",),
    "zone": ("zone", "queues[0].zones"),
    "machine": ("queues[0].machine",),
    "max_nodes": ("queues[0].max",),
    "scratch": ("storage.scratch",),
    "bucket": ("buckets",),
    "login_nodes": ("login_nodes",),
    "key_pair": ("head_node.key_pair", "login_nodes.key_pair"),
    "ssh_from": ("network.ssh_from",),
    "ssh_key": ("head_node.ssh_key", "login_nodes.ssh_key"),
    "users": ("people",),
    "budget": ("budget.monthly",),
    "notify": ("budget.notify",),
    "name": ("name",),
}
"""Maps each answer to the description keys that depend on it."""

PROPOSED = ("machine", "max_nodes", "scratch", "bucket", "login_nodes", "key_pair", "users", "name")
"""Questions for which the proposed answer is used if there is no terminal."""

OF_BUDGET = ("billing_account", "notify")
"""Questions that are asked only if there is a budget."""
