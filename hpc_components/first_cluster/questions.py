"""Lists the questions of `hpc init`, and the description keys that their answers determine."""

from dataclasses import dataclass

from hpc_components.first_cluster.reading import NOTHING


@dataclass(frozen=True)
class Question:
    """A question of `hpc init`, and the field of `Answers` that it sets."""

    field: str
    text: str

    @property
    def flag(self) -> str:
        """The command-line option that answers the question."""
        return "--" + self.field.replace("_", "-")


QUESTIONS = (
    Question("cloud", "Cloud"),
    Question("region", "Region"),
    Question("project", "Id of the cloud project"),
    Question("workload", "Purpose of the cluster"),
    Question("machine", "Machine type of the compute nodes"),
    Question("max_nodes", "Maximum number of compute nodes"),
    Question("scratch", f"Size of a Lustre file system for scratch data, like 1.2TiB, or {NOTHING}"),
    Question("bucket", "A bucket for users and jobs, yes or no"),
    Question("ssh_from", f"Address ranges that users log in from by SSH, or {NOTHING}"),
    Question("login_nodes", "Login nodes besides the head node, yes or no"),
    Question("key_pair", f"Name of the key pair that nodes get, or {NOTHING}"),
    Question("ssh_key", f"Your public SSH key or its file, or {NOTHING}"),
    Question("budget", f"Budget in USD a month, or {NOTHING}"),
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
    "budget": ("budget.monthly",),
    "notify": ("budget.notify",),
    "name": ("name",),
}
"""Maps each answer to the description keys that it determines."""

PROPOSED = ("machine", "max_nodes", "scratch", "bucket", "login_nodes", "key_pair", "name")
"""Questions whose proposed answers are accepted if there is no terminal to ask on."""

OF_BUDGET = ("billing_account", "notify")
"""Questions that are asked only if there is a budget."""
