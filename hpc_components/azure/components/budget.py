"""Exports of `hpc_components.azure.budget.component`, under the name that `hpc_components.azure` uses."""

from hpc_components.azure.budget.component import ClusterBudget as ClusterBudget
from hpc_components.azure.budget.component import ClusterBudgetArgs as ClusterBudgetArgs
