from datetime import datetime

from botocore.exceptions import BotoCoreError, ClientError

from hpc_components.elastic.drivers.aws.api import Api
from hpc_components.elastic.drivers.aws.errors import code_of, meaning
from hpc_components.elastic.drivers.contract import CapacityError, LaunchError, RefusedError

TO_COME = frozenset({"assessing", "delayed", "payment-pending", "pending", "scheduled"})
"""States of a reservation or capacity block before it can be used. Source: EC2 API reference, CapacityReservation."""


def about_reservation(error: ClientError) -> bool:
    code = code_of(error)
    return code.startswith("InvalidCapacityReservation") or code == "ReservationCapacityExceeded"


def reservation_error(error: ClientError, reservation: str, api: Api) -> Exception:
    """Translate a launch error, and add the reservation's dates, which EC2's message lacks.

    Return CapacityError if the reservation may become usable later, and RefusedError if it never will.
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
            f"{what} has not started; it starts at {_when(found.get('StartDate'), 'an unknown time')}"
        )
    if state == "active":
        free, all_of_it = found["AvailableInstanceCount"], found["TotalInstanceCount"]
        return CapacityError(f"{what} has only {free} of {all_of_it} machines free (end: {ends})")
    return RefusedError(
        f"{what} is {state}; choose another reservation or purchase option for the queue in the stack file"
    )


def _when(moment: datetime | None, otherwise: str) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC") if moment else otherwise
