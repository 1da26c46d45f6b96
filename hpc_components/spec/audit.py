from hpc_components.spec.model import Model
from hpc_components.spec.values import Duration


class Audit(Model):
    """The audit trail: who logged in, who became root, and who changed the cluster."""

    keep: Duration = Duration.parse("400d")
    """How long the cloud's log service keeps the trail. Nodes send it every minute, compute nodes every ten."""
