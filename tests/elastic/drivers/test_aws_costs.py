"""What EC2 tells about costs: when billing ended, and the prices of spot machines."""

from decimal import Decimal

import pytest

from hpc_components.elastic.drivers.aws.driver import AwsDriver
from hpc_components.elastic.drivers.contract import RefusedError

from .conftest import NOW, launch, pool
from .fake_ec2 import Ec2Error, FakeEc2


def test_the_end_of_billing_is_the_time_at_which_ec2_began_to_shut_down(aws: AwsDriver, ec2: FakeEc2, clock):
    (made,) = aws.launch(launch(1))
    assert [each.ended for each in aws.list()] == [None]
    clock.now = NOW + 100.0
    aws.terminate([made.id])
    clock.now = NOW + 300.0
    assert [each.ended for each in aws.list()] == [NOW + 100.0]


@pytest.mark.parametrize(
    ("reason", "ended"),
    [
        ("Server.SpotInstanceTermination", None),
        ("Server.SpotInstanceTermination (2026-10-08 09:00:00 GMT)", 1_791_450_000.0),
        ("User initiated (soon)", None),
    ],
)
def test_a_reclaimed_machine_may_have_no_time(reason, ended, aws: AwsDriver, ec2: FakeEc2):
    (made,) = aws.launch(launch(1))
    ec2.machines[made.id].reason, ec2.machines[made.id].ended = reason, NOW
    assert [each.ended for each in aws.list()] == [ended]


def test_spot_prices_are_the_latest_of_each_zone(aws: AwsDriver, ec2: FakeEc2):
    ec2.page = 2
    ec2.spot_prices = [
        ("c7i.large", "use2-az1", NOW - 9, "0.0310"),
        ("c7i.large", "use2-az1", NOW - 5, "0.0321"),
        ("c7i.large", "use2-az1", NOW - 7, "0.0299"),
        ("c7i.large", "use2-az2", NOW - 1, "0.0400"),
        ("m7i.large", "use2-az1", NOW - 1, "0.5"),
    ]
    pools = [pool("c7i.large", "use2-az1"), pool("c7i.large", "use2-az2"), pool("c6i.large", "use2-az1")]
    assert aws.spot_prices(pools) == {pools[0]: Decimal("0.0321"), pools[1]: Decimal("0.04")}


def test_without_permission_prices_are_refused(aws: AwsDriver, ec2: FakeEc2):
    ec2.fail["DescribeSpotPriceHistory"] = Ec2Error("UnauthorizedOperation", "You are not authorized", 403)
    with pytest.raises(RefusedError, match="not authorized"):
        aws.spot_prices([pool("c7i.large", "use2-az1")])
