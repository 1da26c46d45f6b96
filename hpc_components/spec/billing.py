"""Model of the prices that a cluster's owner has agreed on with the cloud."""

from hpc_components.spec.model import Model, Number


class Billing(Model):
    """What is known about the bill beyond list prices."""

    rates: dict[str, Number] = {}
    """Prices in USD per node-hour, keyed by machine type, from your contract with the cloud, e.g.
    `{c7i.48xlarge: 5.80}`. They replace list prices, also those of spot machines, in plans, budgets,
    forecasts and bills."""
