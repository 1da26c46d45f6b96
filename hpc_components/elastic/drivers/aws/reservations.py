"""Why nothing can be launched into a capacity reservation: it has not begun, it is full, or it is over."""

from datetime import datetime

from botocore.exceptions import BotoCoreError, ClientError

from hpc_components.elastic.drivers.aws.api import Api
from hpc_components.elastic.drivers.aws.errors import code_of, meaning
from hpc_components.elastic.drivers.contract import CapacityError, LaunchError, RefusedError

__all__ = ["about_reservation", "reservation_error"]

TO_COME = frozenset({"assessing", "delayed", "payment-pending", "pending", "scheduled"})
"""States before a reservation or capacity block can be used. Source: EC2 API reference, CapacityReservation."""


def about_reservation(error: ClientError) -> bool:
    """Whether EC2 refuses because of the reservation that a launch template names."""
    code = code_of(error)
    return code.startswith("InvalidCapacityReservation") or code == "ReservationCapacityExceeded"


def reservation_error(error: ClientError, reservation: str, api: Api) -> Exception:
    """The meaning of `error` of a launch into `reservation`, with dates, which EC2's message lacks.

    CapacityError if it may be used later, RefusedError if never again.
    """
    try:
        (found,) = api.call("DescribeCapacityReservations", CapacityReservationIds=[reservation])[
            "CapacityReservations"
        ]
    except (ClientError, BotoCoreError, LaunchError, ValueError):
        return meaning(error)
    state, ends = found["State"], _when(found.get("EndDate"), "no set time")
    what = f"{code_of(error)}: {reservation}"
    if state in TO_COME:
        return CapacityError(
            f"{what} has not begun; it does at {_when(found.get('StartDate'), 'a time not known yet')}"
        )
    if state == "active":
        free, all_of_it = found["AvailableInstanceCount"], found["TotalInstanceCount"]
        return CapacityError(f"{what} has {free} of its {all_of_it} machines free; it ends at {ends}")
    return RefusedError(f"{what} is {state}; name another one in the stack's queue, or another way to buy")


def _when(moment: datetime | None, otherwise: str) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC") if moment else otherwise
