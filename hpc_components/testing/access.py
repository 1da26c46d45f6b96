"""Assertions on who may reach a cluster, and on what it may do."""

from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.testing.facts import StandIn, stand_in_of
from hpc_components.testing.offenders import refuse, shown

__all__ = ["assert_no_wildcard_actions", "assert_not_open_to_the_world"]

_WORLD = ("0.0.0.0/0", "::/0")


def assert_not_open_to_the_world(recording: Recording, port: int = 22) -> None:
    """No rule of a network lets every address of the internet in on this TCP port."""
    refuse(
        f"rules that open port {port} to the whole internet; name the networks that need it",
        (
            f"{shown(resource)} admits {', '.join(open_to)}"
            for resource in recording.resources
            for rule in _stand_in(resource).ingress(resource)
            if rule.low <= port <= rule.high and (open_to := [each for each in rule.sources if each in _WORLD])
        ),
    )


def assert_no_wildcard_actions(recording: Recording) -> None:
    """No policy allows an action with `*` in it, or everything but some actions.

    Policies that are unknown or secret as a whole can't be read, and pass.
    """
    refuse(
        "permissions with a wildcard action; name the actions",
        (
            f"{shown(resource)} allows {action}"
            for resource in recording.resources
            for action in _stand_in(resource).wildcard_actions(resource)
        ),
    )


def _stand_in(resource: RecordedResource) -> StandIn:
    return stand_in_of(resource.type.partition(":")[0])
