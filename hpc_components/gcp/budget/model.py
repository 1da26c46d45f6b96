from hpc_components.spec.cluster import Budget


class GcpBudget(Budget):
    """A monthly budget for everything labelled with the cluster's name."""

    pubsub_topic: str | None = None
    """Id of an existing Pub/Sub topic, `projects/<project>/topics/<name>`. Cloud Billing publishes the month's cost
    to it several times a day, so that a program of your own can act on it."""
