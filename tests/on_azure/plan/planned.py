"""The stacks on Azure as plans, each made once."""

from functools import cache

from stack_recordings import PROJECT, recorded

from hpc_components.preview.plan import Plan, make_plan
from hpc_components.spec.load import load_cluster

__all__ = ["planned"]


@cache
def planned(stack: str) -> Plan:
    cluster = load_cluster(PROJECT.open(stack).config["hpc:cluster"])
    return make_plan(recorded(stack), cloud="azure", cluster=cluster.name, region=cluster.region)
