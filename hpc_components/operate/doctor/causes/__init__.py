"""All causes, in the order in which they lead to others: the machine, its services, launches, nodes, jobs."""

from hpc_components.operate.doctor.causes import machine, services, launches, nodes, jobs, one_node  # noqa: I001

__all__ = ["jobs", "launches", "machine", "nodes", "one_node", "services"]
