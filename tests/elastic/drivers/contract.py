"""The tests that every cloud's driver must pass.

A cloud runs them with a stand-in for itself, a `CloudDouble`, and two small classes of tests:

    class TestDriver(DriverContract):
        @pytest.fixture
        def cloud(self) -> CloudDouble: ...

    class TestNotices(NoticesContract):
        @pytest.fixture
        def notices(self) -> NoticesDouble: ...

The words of its own errors go into the class, where the tests look for them.
"""

from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import pytest

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    Driver,
    NoticeKind,
    NoticeSource,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.model import Instance, InstanceState, Launch, Pool

LIVE = (InstanceState.PENDING, InstanceState.RUNNING)


class CloudDouble(Protocol):
    """A stand-in for a cloud, with a driver of one of its clusters. It is as fast and as reliable as a test says."""

    driver: Driver
    pools: tuple[Pool, Pool]
    """Two pools of one queue, of two machine types in two zones."""
    unknown_pool: Pool
    """A pool for which the cluster has not prepared anything."""
    unknown_ids: tuple[str, str]
    """Ids as the cloud writes them, of no machine."""
    now: float
    """Seconds of the epoch; only tests move it."""
    boot_seconds: float
    """Machines are PENDING for so long, and then RUNNING. 0 at first, as are the next two."""
    stop_seconds: float
    """Machines are STOPPING for so long, and then GONE."""
    lag_seconds: float
    """A machine is neither listed nor known by its id until it is so old. Where a launch is answered only when its
    machines are listed, they may be missing from a later list."""

    def limit(self, pool: Pool, count: int) -> None:
        """The pool has only so many machines left."""

    def lose_answer(self, call: str) -> None:
        """The next `launch`, `terminate` or `list` is carried out, but its answer gets lost."""

    def throttle(self) -> None:
        """From now on the cloud answers `launch` and `terminate` with "too often"."""

    def throttle_end(self, id: str) -> None:
        """From now on each request that would end this machine is answered with "too often"."""

    def protect(self, id: str) -> None:
        """From now on each request that would end this machine is refused."""

    def omit(self, ids: Collection[str]) -> None:
        """From now on the list lacks these machines."""

    def lose_sight(self, ids: Collection[str]) -> None:
        """From now on the cloud neither lists these machines nor knows them by their ids, although they live."""

    def live(self) -> Collection[str]:
        """Ids of all machines that cost money."""

    def came_from(self, id: str) -> Pool:
        """The pool that a machine really came from."""

    def requests(self, call: str) -> int:
        """How many requests the cloud got for `launch`, `terminate`, or `list` and `find`."""


def launch(pool: Pool, numbers: Iterable[int], *, minimum: int = 1, token: str = "t1", now: float = 0.0) -> Launch:
    nodes = tuple(f"{pool.queue}-{number}" for number in numbers)
    return Launch(token=token, pool=pool, nodes=nodes, minimum=minimum, asked=now)


def live_nodes(instances: Iterable[Instance], pool: Pool) -> list[int]:
    """The numbers of nodes with machines that cost money."""
    return sorted(int(each.node.removeprefix(f"{pool.queue}-")) for each in instances if each.state in LIVE)


def alive_in(driver: Driver) -> set[str]:
    """Ids of the listed machines that are not ending."""
    return {each.id for each in driver.list() if each.state in LIVE}


class DriverContract:
    """What a driver promises: see `Machines` and `Driver`."""

    capacity_words = r"."
    throttled_words = r"."
    unknown_pool_words = r"."
    unknown_yet_words = r"."

    @pytest.fixture
    def cloud(self) -> CloudDouble:
        raise NotImplementedError("a stand-in for the cloud")

    @pytest.fixture
    def driver(self, cloud) -> Driver:
        return cloud.driver

    @pytest.fixture
    def pool(self, cloud) -> Pool:
        return cloud.pools[0]

    @pytest.fixture
    def made(self, driver, cloud) -> list[Instance]:
        """Three machines of one pool, and one of the other."""
        first, second = cloud.pools
        return [*driver.launch(launch(first, (1, 2, 3))), *driver.launch(launch(second, [4], token="t2"))]

    def test_its_limits_are_numbers_to_plan_with(self, driver):
        assert driver.limits.launch_size >= 1
        assert driver.limits.tag_length >= len("10000-20000")
        assert driver.limits.list_lag_seconds > 0
        assert driver.limits.spot_notice_seconds > 0

    def test_a_launch_gives_machines_their_names_in_the_order_asked(self, driver, pool, cloud):
        made = driver.launch(launch(pool, (7, 3, 4, 5, 20), minimum=5))
        assert [each.node for each in made] == [f"{pool.queue}-{number}" for number in (7, 3, 4, 5, 20)]
        assert {(each.token, each.pool, each.state, each.launched, each.failing) for each in made} == {
            ("t1", pool, InstanceState.RUNNING, cloud.now, "")
        }
        assert sorted(driver.list(), key=lambda each: each.id) == sorted(made, key=lambda each: each.id)

    def test_machines_come_from_the_pool_that_was_named(self, driver, cloud):
        (made,) = driver.launch(launch(cloud.pools[1], [1]))
        assert made.pool == cloud.pools[1]
        assert cloud.came_from(made.id) == cloud.pools[1]

    def test_with_too_few_machines_the_last_names_get_none(self, driver, pool, cloud):
        cloud.limit(pool, 3)
        assert live_nodes(driver.launch(launch(pool, range(1, 6), minimum=2)), pool) == [1, 2, 3]

    def test_rather_none_than_fewer_than_the_minimum(self, driver, pool, cloud):
        cloud.limit(pool, 3)
        with pytest.raises(CapacityError, match=self.capacity_words):
            driver.launch(launch(pool, range(1, 5), minimum=4))
        assert not cloud.live()
        assert cloud.requests("launch") == 1  # an SDK may repeat it of itself

    def test_the_same_launch_twice_makes_no_second_set(self, driver, pool, cloud):
        first = driver.launch(launch(pool, (1, 2)))
        assert list(driver.launch(launch(pool, (1, 2)))) == list(first)
        assert len(cloud.live()) == 2

    def test_after_a_lost_answer_the_same_launch_finds_its_machines(self, driver, pool, cloud):
        cloud.lose_answer("launch")
        with pytest.raises(OSError, match=r"."):
            driver.launch(launch(pool, (1, 2)))
        assert live_nodes(driver.launch(launch(pool, (1, 2))), pool) == [1, 2]
        assert len(cloud.live()) == 2

    def test_a_lost_answer_to_the_others_is_an_oserror_too(self, driver, pool, cloud):
        (made,) = driver.launch(launch(pool, [1]))
        cloud.lose_answer("list")
        cloud.lose_answer("terminate")
        with pytest.raises(OSError, match=r"."):
            driver.list()
        with pytest.raises(OSError, match=r"."):
            driver.terminate([made.id])
        assert not cloud.live()

    def test_machines_end_and_ending_them_again_is_no_error(self, driver, pool, cloud):
        cloud.stop_seconds = 30
        made = driver.launch(launch(pool, (1, 2, 3)))
        driver.terminate({made[0].id, made[2].id})
        states = {each.id: each.state for each in driver.list()}
        assert states == {
            made[0].id: InstanceState.STOPPING,
            made[1].id: InstanceState.RUNNING,
            made[2].id: InstanceState.STOPPING,
        }
        driver.terminate([made[0].id])
        cloud.now += 31
        assert {each.state for each in driver.list() if each.id != made[1].id} == {InstanceState.GONE}

    def test_machines_that_nobody_knows_do_not_keep_the_others_running(self, driver, pool, cloud):
        made = driver.launch(launch(pool, range(1, 8)))
        driver.terminate([*(each.id for each in made), *cloud.unknown_ids])
        assert not cloud.live()
        driver.terminate([cloud.unknown_ids[0]])
        driver.terminate([])

    def test_a_new_machine_is_pending_and_may_be_missing_from_the_list(self, driver, pool, cloud):
        cloud.boot_seconds = 20
        (made,) = driver.launch(launch(pool, [1]))
        cloud.lag_seconds = 5
        assert made.state is InstanceState.PENDING
        assert not driver.list()
        with pytest.raises(OSError, match=self.unknown_yet_words):  # it must not be taken for gone
            driver.terminate([made.id])
        cloud.now += 6
        assert [each.state for each in driver.list()] == [InstanceState.PENDING]

    def test_a_machine_that_the_list_lacks_is_found_by_its_id(self, driver, pool, cloud):
        made = driver.launch(launch(pool, (1, 2, 3)))
        cloud.omit({made[0].id})
        driver.terminate([made[1].id])
        assert made[0].id not in {each.id for each in driver.list()}
        found = {each.id: each.state for each in driver.find([made[0].id, made[1].id, *cloud.unknown_ids])}
        assert found == {made[0].id: InstanceState.RUNNING, made[1].id: InstanceState.GONE}
        assert not driver.find([cloud.unknown_ids[0]])
        assert not driver.find([])

    def test_machines_are_found_by_the_token_of_their_launch(self, driver, pool):
        made = driver.launch(launch(pool, (1, 2), token="t1"))
        driver.launch(launch(pool, [3], token="t2"))
        assert {each.id for each in driver.find([], ["t1", "t9"])} == {each.id for each in made}
        assert len(driver.find([made[0].id], ["t2"])) == 2

    def test_a_new_machine_may_not_be_known_by_its_id_either(self, driver, pool, cloud):
        made = driver.launch(launch(pool, [1]))
        cloud.lag_seconds = 5
        assert not driver.find([each.id for each in made])
        cloud.now += 6
        assert list(driver.find([each.id for each in made])) == list(made)

    def test_a_machine_has_gone_only_if_it_is_unknown_by_its_id_for_the_whole_list_lag(self, driver, pool, cloud):
        lag = driver.limits.list_lag_seconds
        (made,) = driver.launch(launch(pool, [1]))
        cloud.now += lag + 1
        driver.list()
        for _ in range(2):  # the second time, it was known in between
            cloud.lose_sight([made.id])
            for seconds in (0, lag / 2, lag / 2 - 1):
                cloud.now += seconds
                told = [*driver.list(), *driver.find([made.id])]
                assert [each.state for each in told if each.state not in LIVE] == []
            cloud.lose_sight(())
            cloud.now += 1
            assert live_nodes(driver.list(), pool) == [1]

    def test_a_machine_that_is_there_again_is_taken_back(self, driver, pool, cloud):
        lag = driver.limits.list_lag_seconds
        (made,) = driver.launch(launch(pool, [1]))
        cloud.now += lag + 1
        driver.list()
        cloud.lose_sight([made.id])
        for _ in range(4):
            cloud.now += lag / 2
            told = {each.id: each.state for each in driver.list()}
        assert told.get(made.id) in (None, InstanceState.GONE)
        cloud.lose_sight(())
        assert [(each.id, each.node, each.token, each.state) for each in driver.list()] == [
            (made.id, made.node, made.token, InstanceState.RUNNING)
        ]
        driver.terminate([made.id])
        assert not cloud.live()

    def test_a_machine_that_was_unknown_when_it_was_to_end_ends_later(self, driver, pool, cloud):
        (made,) = driver.launch(launch(pool, [1]))
        cloud.now += driver.limits.list_lag_seconds + 1
        driver.list()
        cloud.lose_sight([made.id])
        for seconds in (0, driver.limits.list_lag_seconds - 1):
            cloud.now += seconds
            with pytest.raises(OSError, match=self.unknown_yet_words):  # another one must not be launched for it yet
                driver.terminate([made.id])
        cloud.lose_sight(())
        assert live_nodes(driver.list(), pool) == [1]
        driver.terminate([made.id])
        assert not cloud.live()

    def test_what_is_unknown_for_the_whole_list_lag_has_ended(self, driver, pool, cloud):
        (made,) = driver.launch(launch(pool, [1]))
        cloud.now += driver.limits.list_lag_seconds + 1
        driver.list()
        cloud.lose_sight([made.id])
        driver.list()
        cloud.now += driver.limits.list_lag_seconds + 1
        driver.list()
        driver.terminate([made.id])

    def test_asked_too_often(self, driver, pool, cloud):
        (made,) = driver.launch(launch(pool, [1]))
        cloud.throttle()
        with pytest.raises(ThrottledError, match=self.throttled_words):
            driver.launch(launch(pool, [2], token="t2"))
        with pytest.raises(ThrottledError, match=self.throttled_words):
            driver.terminate([made.id])
        assert (cloud.requests("launch"), len(cloud.live())) == (2, 1)

    def test_ending_machines_is_throttled_only_if_nothing_was_done(self, made, driver, cloud):
        cloud.throttle_end(made[1].id)
        with pytest.raises((ThrottledError, OSError)) as caught:
            driver.terminate([each.id for each in made])
        assert made[1].id in (alive := alive_in(driver))
        assert isinstance(caught.value, OSError) or len(alive) == len(made)

    def test_ending_machines_of_which_one_is_protected_names_it_and_ends_the_others(self, made, driver, cloud):
        cloud.protect(made[1].id)
        with pytest.raises(RefusedError) as caught:
            driver.terminate([each.id for each in made])
        assert made[1].id in caught.value.kept
        assert alive_in(driver) == {*caught.value.kept}
        assert not caught.value.unclear

    def test_ending_machines_names_those_not_ended_beside_a_protected_one(self, made, driver, cloud):
        cloud.throttle_end(made[0].id)
        cloud.protect(made[1].id)
        with pytest.raises((RefusedError, ThrottledError, OSError)) as caught:
            driver.terminate([each.id for each in made])
        alive = alive_in(driver)
        assert alive >= {made[0].id, made[1].id}
        if isinstance(caught.value, RefusedError):
            assert alive == {*caught.value.kept, *caught.value.unclear}
        elif isinstance(caught.value, ThrottledError):
            assert len(alive) == len(made)

    def test_a_pool_that_the_cluster_has_not_prepared_is_refused_with_what_is_missing(self, driver, cloud):
        with pytest.raises(RefusedError, match=self.unknown_pool_words):
            driver.launch(launch(cloud.unknown_pool, [1]))

    def test_a_launch_of_several_pools_at_a_time_gives_each_its_own(self, driver, cloud):
        wanted = [launch(pool, [number], token=f"t{number}") for number, pool in enumerate(cloud.pools, start=1)]
        with ThreadPoolExecutor() as threads:
            made = [machine for machines in threads.map(driver.launch, wanted) for machine in machines]
        assert [(each.token, each.pool) for each in made] == [(each.token, each.pool) for each in wanted]

    def test_thousands_are_listed_and_ended(self, driver, pool, cloud):
        size = driver.limits.launch_size
        for number in range(3):
            first = 1 + size * number
            driver.launch(launch(pool, range(first, first + size), minimum=size, token=f"t{number}"))
        listed = driver.list()
        assert len({each.node for each in listed}) == 3 * size
        driver.terminate([each.id for each in listed])
        assert not cloud.live()


class NoticesDouble(Protocol):
    """A stand-in for what a machine is told by its cloud."""

    source: NoticeSource

    def announce(self, kind: NoticeKind) -> bool:
        """Announce something to the machine. False if the cloud never announces such a thing."""

    def fail(self) -> None:
        """From now on the source does not answer."""

    def garble(self) -> None:
        """Answer with nonsense from now on."""


class NoticesContract:
    """What a source of notices promises: see `NoticeSource`."""

    @pytest.fixture
    def notices(self) -> NoticesDouble:
        raise NotImplementedError("a stand-in for what a machine is told")

    def test_without_news_there_is_nothing(self, notices):
        assert list(notices.source.read()) == []
        assert notices.source.address

    @pytest.mark.parametrize("kind", NoticeKind)
    def test_what_is_announced_is_told_in_words_for_people(self, notices, kind):
        if not notices.announce(kind):
            assert kind is not NoticeKind.SPOT
            return
        (notice,) = notices.source.read()
        assert notice.kind is kind
        assert notice.at > 0
        assert notice.words == notice.words.strip() != ""
        assert list(notices.source.read()) == [notice]

    def test_the_end_of_a_spot_machine_comes_first(self, notices):
        notices.announce(NoticeKind.REBALANCE)
        notices.announce(NoticeKind.MAINTENANCE)
        notices.announce(NoticeKind.SPOT)
        assert next(iter(notices.source.read())).kind is NoticeKind.SPOT

    def test_what_can_t_be_read_is_an_oserror(self, notices):
        notices.fail()
        with pytest.raises(OSError, match=r"."):
            list(notices.source.read())

    def test_what_is_not_understood_is_an_oserror(self, notices):
        notices.announce(NoticeKind.SPOT)
        notices.garble()
        with pytest.raises(OSError, match=r"."):
            list(notices.source.read())
