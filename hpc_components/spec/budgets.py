"""Model of what an account, an organization or a person may spend."""

from hpc_components.spec.model import Model, Number


class SpendingBudget(Model):
    """A limit on the cost of jobs, which Slurm enforces: `monthly` or `total`. A job costs its share of its nodes,
    from its start to its end."""

    monthly: Number | None = None
    """Limit in USD per calendar month."""
    total: Number | None = None
    """Limit in USD that never renews, e.g. of a project."""

    @property
    def usd(self) -> float:
        """The limit, whichever of the two is set."""
        return next((usd for usd in (self.monthly, self.total) if usd is not None), 0.0)
