from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.model import Instance, InstanceState, Job, Pool
from hpc_components.elastic.names import node_name, queue_of, tag_of
from hpc_components.elastic.plan.planner import Unit, plan_launches, units_of


def pool(machine, queue="q"):
    return Pool(queue=queue, machine=machine, zone="z", purchase="spot")


M1, M2, M3 = pool("m1"), pool("m2"), pool("m3")
POOLS = {"q": (M1, M2, M3)}


LIMITS = Limits(list_lag_seconds=120, launch_size=1000, tag_length=256, spot_notice_seconds=120)


def plan(units, pools, closed, failed, in_one_pool=()):
    return plan_launches(units, pools, closed, failed, limits=LIMITS, in_one_pool=in_one_pool)


def names(*numbers, queue="q"):
    return tuple(node_name(queue, number) for number in numbers)


def machine(node, where=M1):
    return Instance(id=f"i-{node}", node=node, token="t", pool=where, state=InstanceState.RUNNING, launched=0.0)


def job(number, *nodes, state="CONFIGURING"):
    return Job(id=number, state=state, nodes=nodes)


def unit(*numbers, booting=(), up=()):
    return Unit(queue="q", missing=names(*numbers), booting=tuple(booting), up=tuple(up))


def orders(units, closed=(), failed=()):
    return [
        (order.pool.machine, order.nodes, order.minimum)
        for order in plan(units, POOLS, dict.fromkeys(closed, 1), failed).orders
    ]


# Units.


def test_nodes_without_a_job_are_units_of_their_own():
    assert units_of(names(1, 2), (), {}, {}) == (unit(1), unit(2))


def test_the_nodes_of_a_job_are_a_unit_with_what_it_has_already():
    have, comes = machine("q-3"), machine("q-4")
    units = units_of(names(2, 1), [job(7, *names(1, 2, 3, 4))], {"q-4": comes}, {"q-3": have})
    assert units == (unit(1, 2, booting=[comes], up=[have]),)


def test_jobs_that_share_a_node_to_come_are_one_unit():
    jobs = [job(1, *names(1, 2)), job(2, *names(3, 4)), job(3, *names(2, 3)), job(4, *names(5, 6)), job(5, "q-6")]
    assert units_of(names(1, 2, 3, 4, 5, 6), jobs, {}, {}) == (unit(1, 2, 3, 4), unit(5, 6))


def test_jobs_that_share_a_node_that_is_up_are_not():
    jobs = [job(1, *names(1, 2)), job(2, *names(2, 3))]
    two = machine("q-2")
    assert units_of(names(1, 3), jobs, {}, {"q-2": two}) == (unit(1, up=[two]), unit(3, up=[two]))


def test_long_chains_of_jobs_that_share_nodes_take_steps_by_their_number():
    class Counting(dict):
        looked = 0

        def __contains__(self, name):
            self.looked += 1
            return super().__contains__(name)

    def steps(count):
        missing = Counting.fromkeys(names(*range(1, count + 2)))
        jobs = [job(number, *names(number, number + 1)) for number in range(1, count + 1)]
        jobs = jobs[::2] + jobs[1::2]
        assert len(units_of(missing, jobs, {}, {})) == 1
        return missing.looked

    assert steps(2000) < 2.1 * steps(1000)


def test_a_job_that_has_all_its_machines_is_no_unit():
    assert units_of((), [job(1, *names(1, 2))], {"q-1": machine("q-1")}, {}) == ()


def test_queues_are_told_apart():
    units = units_of((*names(1), *names(1, queue="p")), [job(1, "q-1", "p-1")], {}, {})
    assert [one.queue for one in units] == ["q", "p"]


# Orders.


def test_400_nodes_of_100_jobs_are_one_launch():
    jobs = [job(number, *names(*range(4 * number + 1, 4 * number + 5))) for number in range(100)]
    units = units_of(names(*range(1, 401)), jobs, {}, {})
    assert orders(units) == [("m1", names(*range(1, 401)), 4)]


def test_one_job_comes_whole_or_not_at_all():
    assert orders([unit(1, 2, 3)]) == [("m1", names(1, 2, 3), 3)]


def test_small_jobs_first_so_that_the_minimum_always_makes_one_whole():
    assert orders([unit(1, 2, 3), unit(7), unit(5, 6)]) == [("m1", names(7, 5, 6, 1, 2, 3), 1)]


def test_a_launch_is_cut_between_jobs_at_the_batch_limit():
    first, second = unit(*range(1, 601)), unit(*range(601, 1201))
    assert [(len(nodes), minimum) for _, nodes, minimum in orders([first, second])] == [(600, 600), (600, 600)]


def test_a_job_over_the_limit_is_cut_and_each_piece_comes_whole():
    cut = orders([unit(*range(1, 2501))])
    assert [(len(nodes), minimum) for _, nodes, minimum in cut] == [(1000, 1000), (1000, 1000), (500, 500)]


def test_a_launch_is_cut_where_its_names_do_not_fit_in_a_tag():
    cut = orders([unit(number) for number in range(1001, 1401, 2)])
    assert [len(nodes) for _, nodes, _ in cut] == [51, 51, 51, 47]


def test_blocked_pools_are_passed_over():
    assert orders([unit(1)], closed=[M1]) == [("m2", names(1), 1)]
    assert orders([unit(1)], closed=[M1], failed=[M2]) == [("m3", names(1), 1)]


def test_without_a_pool_a_unit_is_stuck():
    planned = plan([unit(1)], POOLS, {M1: 1, M2: 1}, [M3])
    assert planned.orders == ()
    assert planned.stuck == (unit(1),)


def test_a_queue_that_is_not_known_has_no_pools():
    stuck = Unit(queue="p", missing=("p-1",))
    assert plan([stuck], POOLS, {}, ()).stuck == (stuck,)


def test_a_pool_in_which_the_job_has_machines_comes_first_even_if_it_is_closed():
    assert orders([unit(1, booting=[machine("q-2", M2)])], closed=[M2]) == [("m2", names(1), 1)]
    assert orders([unit(1, up=[machine("q-2", M2)])]) == [("m2", names(1), 1)]
    assert orders([unit(1, up=[machine("q-2", M2)])], closed=[M2]) == [("m1", names(1), 1)]


def test_a_job_moves_whole_to_the_next_pool_and_gives_up_what_boots():
    begun = machine("q-2", M1)
    (order,) = plan([unit(1, 3, booting=[begun])], POOLS, {M1: 1}, [M1]).orders
    assert (order.pool, order.nodes, order.minimum, order.ends) == (M2, names(1, 2, 3), 3, (begun,))


def test_a_job_with_nodes_that_are_up_does_not_move_where_machines_stand_together():
    stays = unit(1, up=[machine("q-2", M1)])
    assert plan([stays], POOLS, {}, [M1], in_one_pool={"q"}).stuck == (stays,)
    assert plan([stays], POOLS, {M1: 1}, (), in_one_pool={"q"}).stuck == (stays,)
    assert plan([stays], POOLS, {}, [M1]).stuck == ()


def test_a_pool_may_be_closed_for_large_units_only():
    large, small = unit(1, 2, 3), unit(4, 5)
    planned = plan([large, small], POOLS, {M1: 3}, ())
    assert [(order.pool, order.sizes) for order in planned.orders] == [(M2, (3,)), (M1, (2,))]
    begun = unit(1, 2, booting=[machine("q-3", M1)])
    (order,) = plan([begun], POOLS, {M1: 2}, ()).orders
    assert (order.pool, order.nodes) == (M2, names(1, 2, 3))


def test_a_job_on_nodes_of_a_pool_that_is_no_longer_described_takes_what_there_is():
    assert orders([unit(1, up=[machine("q-2", pool("old"))])]) == [("m1", names(1), 1)]


def test_a_unit_knows_its_launched_and_ended_machines():
    begun = unit(1, 2, 3).with_machines({"q-2": machine("q-2"), "q-9": machine("q-9")})
    assert begun == unit(1, 3, booting=[machine("q-2")])
    assert begun.without_machines({"i-q-2"}) == unit(1, 2, 3)


# Always.

NUMBERS = st.integers(1, 3000)


@st.composite
def situations(draw):
    nodes = draw(st.lists(NUMBERS, unique=True, max_size=60))
    jobs = []
    for number in range(draw(st.integers(0, 12))):
        own = draw(st.lists(st.sampled_from(nodes), unique=True, min_size=1, max_size=12)) if nodes else []
        jobs.append(job(number, *names(*own)))
    state = {name: draw(st.sampled_from(["missing"] * 3 + ["booting", "up"])) for name in names(*nodes)}
    where = {name: draw(st.sampled_from((M1, M2, M3))) for name in state}
    some = {
        kind: {name: machine(name, where[name]) for name in state if state[name] == kind}
        for kind in ("booting", "up")
    }
    missing = [name for name in state if state[name] == "missing"]
    closed = draw(st.dictionaries(st.sampled_from((M1, M2, M3)), st.integers(1, 5)))
    failed = draw(st.sets(st.sampled_from((M1, M2, M3))))
    return missing, jobs, some["booting"], some["up"], closed, failed


@given(situations())
def test_every_plan_keeps_the_rules(situation):
    missing, jobs, booting, up, closed, failed = situation
    units = units_of(missing, jobs, booting, up)
    assert Counter(name for unit in units for name in unit.missing) == Counter(missing)
    planned = plan(units, POOLS, closed, failed, in_one_pool={"q"})
    ordered = Counter(name for order in planned.orders for name in order.nodes)
    moved = [machine.node for order in planned.orders for machine in order.ends]
    stuck = [name for unit in planned.stuck for name in unit.missing]
    assert ordered + Counter(stuck) == Counter(missing) + Counter(moved)
    pool_of = {name: order.pool for order in planned.orders for name in order.nodes}
    for order in planned.orders:
        assert order.pool not in failed
        assert 0 < order.minimum <= len(order.nodes) <= LIMITS.launch_size
        assert len(tag_of(order.nodes)) <= LIMITS.tag_length
        assert len({queue_of(name) for name in order.nodes}) == 1
        assert all(machine.pool != order.pool for machine in order.ends)
    for unit in units:
        pools = {pool_of[name] for name in unit.missing if name in pool_of}
        assert len(pools) <= 1
        if pools:
            (chosen,) = pools
            stays = [m for m in unit.booting if m.node not in pool_of]
            assert all(m.pool == chosen for m in stays)
            assert not unit.up or chosen in {m.pool for m in unit.up}
