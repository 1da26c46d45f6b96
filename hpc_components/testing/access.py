from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import Recording
from hpc_components.testing.offenders import refuse, shown


def assert_not_open_to_the_world(recording: Recording, port: int = 22) -> None:
    """Assert that no network rule opens this TCP port to the whole internet, or to address ranges too large for a
    single site.
    """
    refuse(
        f"rules that open port {port} to the whole internet; allow only the networks that need it",
        (
            f"{shown(resource)} admits {', '.join(rule.world)}"
            for resource in resources_of(recording)
            for rule in reader_of_type(resource.type).ingress(resource)
            if rule.admits(port) and rule.world
        ),
    )


def assert_no_wildcard_actions(recording: Recording) -> None:
    """Assert that no policy allows actions by a wildcard (`*`) or allows everything except certain actions.

    Policies that are entirely unknown or secret can't be read, and therefore pass.
    """
    refuse(
        "permissions with a wildcard action; list the required actions instead",
        (
            f"{shown(resource)} allows {action}"
            for resource in resources_of(recording)
            for action in reader_of_type(resource.type).wildcard_actions(resource)
        ),
    )
