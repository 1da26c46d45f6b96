"""Assertions about who can reach a cluster, and about its permissions."""

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import Recording
from hpc_components.testing.offenders import refuse, shown


def assert_not_open_to_the_world(recording: Recording, port: int = 22) -> None:
    """Assert that no network rule opens this TCP port to the whole internet or to ranges too large to be a single
    site.
    """
    refuse(
        f"rules that open port {port} to the whole internet; name the networks that need it",
        (
            f"{shown(resource)} admits {', '.join(rule.world)}"
            for resource in resources_of(recording)
            for rule in reader_of_type(resource.type).ingress(resource)
            if rule.admits(port) and rule.world
        ),
    )


def assert_no_wildcard_actions(recording: Recording) -> None:
    """Assert that no policy allows an action that contains `*`, or everything except some actions.

    Policies that are entirely unknown or secret pass, because they can't be read.
    """
    refuse(
        "permissions with a wildcard action; name the actions",
        (
            f"{shown(resource)} allows {action}"
            for resource in resources_of(recording)
            for action in reader_of_type(resource.type).wildcard_actions(resource)
        ),
    )
