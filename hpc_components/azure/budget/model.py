from hpc_components.spec.cluster import Budget


class AzureBudget(Budget):
    """A monthly budget for the cluster's resource groups."""

    action_groups: tuple[str, ...] = ()
    """Ids of existing action groups that Azure Monitor runs at each alert, in addition to sending email: they can
    call a runbook, a function or a webhook of your own."""
