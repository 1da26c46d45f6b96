import pytest

from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.contract import CapacityError, RefusedError

from .conftest import launch, own_tags, pool
from .fake_ec2 import Ec2Error, FakeEc2

BLOCK = "cr-0123456789abcdef0"
P5 = pool("p5.48xlarge", "use2-az1", "capacity_block", "gpu")
DATES = {"startDate": "2026-12-01T11:30:00.000Z", "endDate": "2026-12-08T11:30:00Z"}


@pytest.fixture
def block(ec2: FakeEc2) -> dict:
    """The capacity block that queue gpu launches into."""
    tags = own_tags("gpu", "p5.48xlarge", "use2-az1") | {"hpc:reservation": BLOCK}
    ec2.add_template("gpu", "p5.48xlarge", "use2-az1", tags, market="capacity-block", reservation=BLOCK)
    ec2.reservations[BLOCK] = {"state": "active", "availableInstanceCount": 4, "totalInstanceCount": 4, **DATES}
    return ec2.reservations[BLOCK]


def test_machines_come_out_of_a_capacity_block_with_nothing_said_but_the_template(block, aws: AwsDriver):
    assert [each.pool for each in aws.launch(launch(1, 2, 3, source=P5))] == [P5] * 3
    assert block["availableInstanceCount"] == 1


@pytest.mark.parametrize(
    ("facts", "kind", "words"),
    [
        ({"state": "scheduled"}, CapacityError, f"{BLOCK} has not started; it starts at 2026-12-01 11:30 UTC"),
        (
            {"availableInstanceCount": 1},
            CapacityError,
            rf"{BLOCK} has only 1 of 4 machines free \(end: 2026-12-08 11:30 UTC\)",
        ),
        (
            {"state": "expired"},
            RefusedError,
            f"{BLOCK} is expired; choose another reservation or purchase option for the queue in the stack file",
        ),
        ({"state": "cancelled"}, RefusedError, f"{BLOCK} is cancelled"),
    ],
)
def test_why_nothing_comes_out_of_it_is_told_with_its_dates(facts, kind, words, block, aws: AwsDriver, ec2: FakeEc2):
    block.update(facts)
    with pytest.raises(kind, match=words):
        aws.launch(launch(1, 2, minimum=2, source=P5))
    assert ec2.calls["DescribeCapacityReservations"] == 1


@pytest.mark.parametrize("facts", [{"state": "scheduled"}, {"availableInstanceCount": 1}])
def test_without_the_dates_ec2s_own_words_must_do(facts, block, aws: AwsDriver, ec2: FakeEc2):
    block.update(facts)
    ec2.fail["DescribeCapacityReservations"] = Ec2Error("UnauthorizedOperation", "No.", 403)
    with pytest.raises(CapacityError, match=r"(PendingActivation|ReservationCapacityExceeded): .*\."):
        aws.launch(launch(1, 2, minimum=2, source=P5))


def test_a_reservation_that_is_not_there_is_a_refusal(block, aws: AwsDriver, ec2: FakeEc2):
    ec2.fail["RunInstances"] = Ec2Error("InvalidCapacityReservationId.NotFound", "It does not exist.")
    ec2.fail["DescribeCapacityReservations"] = Ec2Error("InvalidCapacityReservationId.NotFound", "It does not exist.")
    with pytest.raises(RefusedError, match=r"InvalidCapacityReservationId.NotFound: It does not exist\."):
        aws.launch(launch(1, source=P5))
