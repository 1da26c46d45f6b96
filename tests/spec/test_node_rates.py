from decimal import Decimal

import pytest

from hpc_components.catalog import machine, price
from hpc_components.spec.node_rates import node_rate
from tests.spec.rules.judged import cluster, queue

TYPE = "c7i.48xlarge"


@pytest.mark.parametrize("market", ["on_demand", "spot"])
def test_a_rate_is_the_list_price_of_the_market(market: str) -> None:
    described = cluster(queues=[queue(machine=TYPE, purchase=market)])
    listed = price(machine("aws", TYPE), "us-east-2", market)
    found = node_rate(described, described.queues[0], TYPE)
    assert found
    assert found.usd_per_hour == Decimal(str(listed.usd))
    assert (found.basis, found.source, found.as_of) == ("list", listed.source, listed.as_of)
    assert found.unsure is (market == "spot" or listed.unsure or not listed.exact_region)


def test_the_contract_takes_precedence() -> None:
    described = cluster(queues=[queue(machine=TYPE, purchase="spot")], billing={"rates": {TYPE: 2.1}})
    found = node_rate(described, described.queues[0], TYPE)
    assert found
    assert (found.usd_per_hour, found.basis, found.unsure) == (Decimal("2.1"), "contract", False)


def test_prepaid_machines_have_the_contracts_rate_alone() -> None:
    block = queue(machine="p5.48xlarge", purchase={"capacity_block": "cr-0123456789abcdef0"})
    described = cluster(queues=[block])
    assert node_rate(described, described.queues[0], "p5.48xlarge") is None
    described = cluster(queues=[block], billing={"rates": {"p5.48xlarge": 31.5}})
    found = node_rate(described, described.queues[0], "p5.48xlarge")
    assert found
    assert found.usd_per_hour == Decimal("31.5")
