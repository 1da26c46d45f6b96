from hpc_components.aws.catalog.network_limits import (
    endpoint_kind,
    endpoint_services,
    launch_limit,
    log_retention_days,
)


def test_gateway_endpoints_are_those_that_are_free():
    assert [service for service in endpoint_services() if endpoint_kind(service) == "gateway"] == [
        "dynamodb",
        "s3",
        "s3express",
    ]


def test_an_unknown_service_has_no_endpoint():
    assert endpoint_kind("s4") is None


def test_retention_steps_go_up_without_duplicates():
    days = log_retention_days()
    assert days == tuple(sorted(set(days)))
    assert {1, 30, 180, 3653} <= set(days)


def test_the_launch_limit_has_burst_and_rate():
    assert launch_limit() == (1000, 2)
