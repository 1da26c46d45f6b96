import re

import pytest

from hpc_components.aws.spec import AwsClusterSpec
from hpc_components.catalog import HOURS_PER_MONTH, machine, price
from hpc_components.spec.findings import Level
from hpc_components.spec.list_cost import full_cost, idle_cost
from hpc_components.spec.schema_walk import type_at
from tests.spec.rules.judged import cluster, levels, paths, problems, queue


def budget(**changes):
    return {"monthly": 20000, "notify": ["hpc@example.org"]} | changes


@pytest.mark.parametrize(("usd", "right"), [(1, True), (0.5, True), (0, False), (-1, False)])
def test_a_budget_must_be_positive(usd, right):
    assert bool(paths("HPC-BUD-001", budget=budget(monthly=usd))) is not right


@pytest.mark.parametrize(
    ("alerts", "found"),
    [
        ([80, 100], []),
        ([1, 200], []),
        ([0, 201], ["budget.alert_at[0]", "budget.alert_at[1]"]),
        ([80, 80], ["budget.alert_at[1]"]),
        ([100, 80], ["budget.alert_at"]),
    ],
)
def test_alert_percentages_have_bounds(alerts, found):
    assert paths("HPC-BUD-002", budget=budget(alert_at=alerts)) == found


def test_order_of_alerts_is_a_warning():
    assert levels("HPC-BUD-002", budget=budget(alert_at=[100, 80])) == [Level.WARNING]


@pytest.mark.parametrize(("count", "right"), [(0, False), (1, True), (9, True), (10, False)])
def test_a_budget_has_few_alerts(count, right):
    assert bool(paths("HPC-BUD-003", budget=budget(alert_at=list(range(1, count + 1))))) is not right


@pytest.mark.parametrize(
    "address", ["hpc", "hpc@example", "a b@example.org", "<a@example.org>", "a@b.org,c@d.org", ""]
)
def test_a_wrong_mail_address_is_found(address):
    assert paths("HPC-BUD-004", budget=budget(notify=[address])) == ["budget.notify[0]"]


def test_a_repeated_mail_address_is_found():
    assert not paths("HPC-BUD-004", budget=budget(notify=["a.b+c@x.example.org"]))
    assert paths("HPC-BUD-004", budget=budget(notify=["a@x.org", "A@x.org"])) == ["budget.notify[1]"]


@pytest.mark.parametrize(("count", "right"), [(0, False), (1, True), (10, True), (11, False)])
def test_a_budget_has_few_addresses(count, right):
    notify = [f"a{index}@example.org" for index in range(count)]
    assert bool(paths("HPC-BUD-005", budget=budget(notify=notify))) is not right


def test_budget_is_held_against_the_idle_cost():
    total = sum(idle_cost(cluster()).values())
    assert total > 0
    assert not paths("HPC-BUD-006", budget=budget(monthly=total))
    assert not paths("HPC-BUD-006", budget=budget(monthly=0))  # that is HPC-BUD-001
    (problem,) = problems("HPC-BUD-006", budget=budget(monthly=total - 1))
    assert f"{total:,.0f} USD" in problem.reason


def test_budget_is_held_against_the_full_cost():
    total = sum(full_cost(cluster()).values())
    assert total > sum(idle_cost(cluster()).values())
    assert not paths("HPC-BUD-008", budget=budget(monthly=total))
    assert not paths("HPC-BUD-008", budget=budget(monthly=1))  # that is HPC-BUD-006
    (half,) = problems("HPC-BUD-008", budget=budget(monthly=total / 2))
    assert "spent in 15 days" in half.reason
    assert f"{total / HOURS_PER_MONTH:,.2f} USD an hour" in half.reason
    assert "sends mail, but doesn't stop anything" in half.reason


def test_rates_of_the_contract_count_instead_of_list_prices():
    listed = cluster(queues=[queue(max=2)])
    rated = cluster(queues=[queue(max=2)], billing={"rates": {listed.queues[0].machine: 10}})
    name = f"queue {listed.queues[0].name}"
    assert full_cost(rated)[name] == 2 * 10 * HOURS_PER_MONTH
    assert {**full_cost(rated), name: 0} == {**full_cost(listed), name: 0}
    total = sum(full_cost(rated).values())
    (half,) = problems("HPC-BUD-008", budget=budget(monthly=total / 2), queues=rated.queues, billing=rated.billing)
    assert "; list prices and billing.rates)" in half.reason


def test_the_remedy_of_a_budget_that_is_too_small_names_keys_that_are_there():
    (half,) = problems("HPC-BUD-008", budget=budget(monthly=sum(full_cost(cluster()).values()) / 2))
    keys = re.findall(r"slurm\.[a-z._]+", half.remedy)
    assert keys
    assert [key for key in keys if type_at(AwsClusterSpec, {}, tuple(key.split("."))) is None] == []


@pytest.mark.parametrize(("part", "level"), [(0.2, Level.WARNING), (0.22, Level.WARNING), (0.24, Level.INFO)])
def test_a_budget_that_is_spent_within_a_week_is_a_warning(part, level):
    queues = [queue(max=100)]
    total = sum(full_cost(cluster(queues=queues)).values())
    assert levels("HPC-BUD-008", queues=queues, budget=budget(monthly=total * part)) == [level]


def test_full_cost_counts_every_node_and_login_node():
    few, many = (full_cost(cluster(queues=[queue(max=nodes)])) for nodes in (1, 10))
    assert many["queue cpu"] == pytest.approx(10 * few["queue cpu"])
    login = full_cost(cluster(login_nodes={"machine": "m6i.large", "min": 1, "max": 4}))["login nodes"]
    assert login > idle_cost(cluster(login_nodes={"machine": "m6i.large", "min": 1, "max": 4}))["login nodes"]


def test_idle_cost_grows_with_what_is_kept_running():
    facts = machine("aws", "c7i.4xlarge")
    assert facts is not None
    found = price(facts, "us-east-2", "on_demand")
    assert found is not None
    parts = idle_cost(cluster(queues=[queue(min=2)]))
    assert parts["queue cpu"] == pytest.approx(2 * found.usd * HOURS_PER_MONTH)
    assert list(parts.values()) == sorted(parts.values(), reverse=True)


def test_file_systems_count_for_the_idle_cost():
    storage = {
        "scratch": {"type": "lustre", "mount": "/a", "size": "1.2TiB"},
        "fast": {
            "type": "lustre", "mount": "/b", "size": "2400GiB", "deployment": "persistent_2", "throughput": 250,
        },
        "home": {"type": "nfs", "mount": "/home", "size": "1TiB"},
        "there": {"type": "nfs", "mount": "/there", "existing": {"server": "h", "export": "/"}},
    }  # fmt: skip
    parts = idle_cost(cluster(storage=storage))
    assert parts["scratch"] == pytest.approx(1200 * 0.14)
    assert parts["fast"] == pytest.approx(2400 * 0.21)
    assert parts["home"] == pytest.approx(1024 * 0.09 + 128 * 0.26)
    assert "there" not in parts


def test_idle_cost_of_disks_is_that_of_the_head_node_s():
    larger = {"machine": "c6i.xlarge", "root": {"size": "100GiB"}, "state": {"size": "200GiB"}}
    parts = idle_cost(cluster(head_node=larger, queues=[queue(root={"size": "1TiB"})]))
    assert parts["disks"] == pytest.approx(300 * 0.08)


def test_an_unknown_machine_counts_nothing_when_idle():
    assert idle_cost(cluster(head_node={"machine": "no.such"}))["head node"] == 0


def test_each_gateway_counts_for_the_idle_cost():
    network = {"cidr": "10.20.0.0/16", "nat": "per_zone"}
    one = idle_cost(cluster())["NAT"]
    two = idle_cost(cluster(network=network, queues=[queue(zones=["use2-az1", "use2-az2"])]))["NAT"]
    assert two == pytest.approx(2 * one)


def test_no_rule_speaks_without_a_budget():
    for id in ("HPC-BUD-001", "HPC-BUD-002", "HPC-BUD-003", "HPC-BUD-005", "HPC-BUD-006", "HPC-BUD-007"):
        assert not paths(id)


BLOCK = {"capacity_block": "cr-0123456789abcdef0"}


@pytest.mark.parametrize(
    ("stop", "rates", "found"),
    [
        (True, {}, ["queues[1].machine"]),
        (True, {"p5.48xlarge": 0}, []),  # paid for in advance
        (False, {}, []),
    ],
)
def test_a_stop_needs_the_price_of_every_queue(stop, rates, found):
    queues = [queue(), queue(name="gpu", machine="p5.48xlarge", purchase=BLOCK)]
    given = {"queues": queues, "budget": budget(stop_launches=stop), "billing": {"rates": rates}}
    assert paths("HPC-BUD-013", **given) == found


def test_a_webhook_is_named_by_its_secret_and_its_address_is_not_shown():
    secret = "arn:aws:secretsmanager:us-east-2:123456789012:secret:chat-AbCdEf"
    assert not paths("HPC-BUD-014", budget=budget(webhook_secret=secret))
    (problem,) = problems("HPC-BUD-014", budget=budget(webhook_secret="https://hooks.example.org/services/T0/B0/XYZ"))
    assert "XYZ" not in f"{problem.value} {problem.reason} {problem.remedy}"


def test_a_budget_that_stops_launches_says_so_when_it_is_small():
    small = budget(monthly=sum(full_cost(cluster()).values()) / 2, stop_launches=True)
    (half,) = problems("HPC-BUD-008", budget=small)
    assert "Then nothing is launched until the month ends" in half.reason
    (idle,) = problems("HPC-BUD-006", budget=small | {"monthly": 1})
    assert "would launch nothing for the rest of the month" in idle.reason


@pytest.mark.parametrize(("stop", "profile", "found"), [(True, "ours", 1), (True, None, 0), (False, "ours", 0)])
def test_a_role_of_the_users_has_no_last_fence(stop, profile, found):
    head = {"machine": "c6i.xlarge", **({"instance_profile": profile} if profile else {})}
    assert len(paths("HPC-BUD-015", head_node=head, budget=budget(stop_launches=stop))) == found
