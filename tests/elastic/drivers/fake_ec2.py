"""A stand-in for EC2: what it keeps and how it answers, without a network. `ec2_server` puts it behind HTTP.

It does what EC2 documents and what programs stumble over: too little capacity told with HTTP 500, request and
resource limits, idempotency by client token, launch indices, listings that lag behind, pages. Tests turn its knobs.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from iam_allows import Allows, allows_all

from .ec2_rights import missing_to_launch, missing_to_list, missing_to_terminate
from .ec2_shapes import Machine, Template, shown, tag_set

Request = Mapping[str, Any]

LIMITS = {"RunInstances": (5, 2.0), "TerminateInstances": (100, 5.0)}
RESOURCE_LIMITS = {"RunInstances": (1000, 2.0), "TerminateInstances": (1000, 20.0)}
OTHER_LIMIT = (100, 20.0)


class Ec2Error(Exception):
    """An answer with an error code."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code, self.message, self.status = code, message, status


class FakeEc2:
    """One account in one region. All times are in seconds of `clock`."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.capacity: dict[tuple[str, str], int] = {}
        """Machines left by machine type and zone; what is not named here is endless."""
        self.boot_seconds = self.stop_seconds = 0.0
        """In the states pending and shutting-down."""
        self.lag_seconds = 0.0
        """Until a new machine is listed, and can be terminated."""
        self.forgotten: set[str] = set()
        """Ids that lists lack."""
        self.unknown: set[str] = set()
        """Ids that nobody knows for a while, whether they are listed or asked for."""
        self.throttled = False
        """Whether the documented limits are kept to."""
        self.not_ended: dict[str, Ec2Error] = {}
        self.spot_prices: list[tuple[str, str, float, str]] = []
        """Machine type, id of the zone, since when, and USD per hour."""
        """Answer to each call that would end a machine, by its id."""
        self.fail: dict[str, Ec2Error] = {}
        """Answer to all calls of an action."""
        self.merge_tags = True
        """Whether a launch has the tags of its template beside those of the request, or instead of them."""
        self.allows: Allows = allows_all
        """What the role of the caller may do."""
        self.page = 1000
        self.reservations: dict[str, dict[str, Any]] = {}
        self.statuses: dict[str, dict[str, Any]] = {}
        """What DescribeInstanceStatus says beside `ok`, by instance id."""
        self.templates: dict[str, Template] = {}
        self.machines: dict[str, Machine] = {}
        self.calls: Counter[str] = Counter()
        self._tokens: dict[str, tuple[Any, list[str]]] = {}
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}
        self._serial = 0
        self._lock = threading.RLock()
        self._actions = {
            "DescribeCapacityReservations": self._describe_reservations,
            "DescribeInstances": self._describe,
            "DescribeInstanceStatus": self._describe_status,
            "DescribeLaunchTemplates": self._describe_templates,
            "DescribeSpotPriceHistory": self._describe_spot_prices,
            "RunInstances": self._run,
            "TerminateInstances": self._terminate,
        }

    def add_template(self, name: str, machine: str, zone: str, tags: Mapping[str, str], **more: Any) -> Template:
        """Make a launch template."""
        template = Template(self._id("lt"), name, machine, zone, dict(tags), **more)
        self.templates[template.id] = template
        return template

    def live(self) -> list[Machine]:
        """Machines that cost money."""
        return [each for each in self.machines.values() if each.ended is None]

    def answer(self, action: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to `action`, as nested names and values of EC2's XML; Ec2Error."""
        with self._lock:
            self.calls[action] += 1
            if self.throttled:
                self._spend(action, "requests", 1, LIMITS.get(action, OTHER_LIMIT))
            if action in self.fail:
                raise self.fail[action]
            if action.startswith("Describe"):
                self._refuse(missing_to_list(self.allows, action))
            return self._actions[action](request)

    def _refuse(self, missing: Iterator[str]) -> None:
        for each in missing:
            raise Ec2Error("UnauthorizedOperation", f"You are not authorized to perform this operation: {each}", 403)

    def state(self, machine: Machine) -> str:
        """The state of a machine now."""
        if machine.ended is not None:
            return "terminated" if self.clock() - machine.ended >= self.stop_seconds else "shutting-down"
        if machine.stopped:
            return "stopped"
        return "running" if self.clock() - machine.made >= self.boot_seconds else "pending"

    def _run(self, request: Request) -> dict[str, Any]:
        token = request.get("ClientToken", "")
        body = {key: value for key, value in request.items() if key != "ClientToken"}
        if token in self._tokens:
            return self._repeated(token, body)
        template = self._template(request["LaunchTemplate"])
        least, most = int(request["MinCount"]), int(request["MaxCount"])
        if self.throttled:
            self._spend("RunInstances", "resources", most, RESOURCE_LIMITS["RunInstances"])
        given = {
            each["ResourceType"]: {tag["Key"]: tag["Value"] for tag in each["Tag"]}
            for each in request.get("TagSpecification", ())
        }
        self._refuse(missing_to_launch(self.allows, template, given))
        tags = {**(template.instance_tags if self.merge_tags else {}), **given.get("instance", {})}
        ids = []
        for index in range(self._take(template, least, most)):
            machine = Machine(self._id("i"), index, template, tags, token, self.clock())
            self.machines[machine.id] = machine
            ids.append(machine.id)
        if token:
            self._tokens[token] = body, ids
        return self._reservation(ids)

    def _repeated(self, token: str, body: Request) -> dict[str, Any]:
        before, ids = self._tokens[token]
        if before != body:
            raise Ec2Error("IdempotentParameterMismatch", "The token was used with other parameters")
        if all(self.machines[each].ended is not None for each in ids):
            raise Ec2Error("IdempotentInstanceTerminated", "The instance of this token has been terminated")
        return self._reservation(ids)

    def _template(self, wanted: Mapping[str, str]) -> Template:
        for template in self.templates.values():
            own = {"LaunchTemplateId": template.id, "LaunchTemplateName": template.name}
            if all(wanted[key] == value for key, value in own.items() if key in wanted):
                return template
        raise Ec2Error("InvalidLaunchTemplateId.NotFound", "The launch template does not exist")

    def _take(self, template: Template, least: int, most: int) -> int:
        """So many machines there are, at least `least` and at most `most`."""
        if template.reservation:
            return self._take_reserved(self.reservations[template.reservation], least, most)
        key = template.machine, template.zone
        left = self.capacity.get(key, most)
        if left < least:
            raise Ec2Error(
                "InsufficientInstanceCapacity",
                f"We currently do not have sufficient {key[0]} capacity in the Availability Zone you requested.",
                500,
            )
        count = min(left, most)
        if key in self.capacity:
            self.capacity[key] = left - count
        return count

    def _take_reserved(self, reservation: dict[str, Any], least: int, most: int) -> int:
        if reservation["state"] == "scheduled":
            code = "InvalidCapacityReservationState.PendingActivation"
            raise Ec2Error(code, "Your Capacity Block is not active yet.")
        left = reservation["availableInstanceCount"] if reservation["state"] == "active" else 0
        if left < least:
            words = "The requested reservation does not have sufficient compatible and available capacity."
            raise Ec2Error("ReservationCapacityExceeded", words)
        reservation["availableInstanceCount"] = left - min(left, most)
        return min(left, most)

    def _describe(self, request: Request) -> dict[str, Any]:
        now = self.clock()
        known = [each for each in self.machines.values() if self._knows(each.id, now)]
        if ids := request.get("InstanceId"):
            self._refuse_unknown([each for each in ids if each not in {machine.id for machine in known}])
            known = [each for each in known if each.id in ids]
        seen = [
            each.id
            for each in known
            if (ids or each.id not in self.forgotten) and _chosen(request, self._facts(each))
        ]
        ids, more = self._page(seen, request)
        return {"reservationSet": [self._reservation(ids)], **more}

    def _knows(self, id: str, now: float) -> bool:
        machine = self.machines.get(id)
        return machine is not None and now - machine.made >= self.lag_seconds and id not in self.unknown

    def _facts(self, machine: Machine) -> dict[str, str]:
        own = {"client-token": machine.token, "instance-state-name": self.state(machine)}
        return own | _tag_filters(machine.tags)

    def _refuse_unknown(self, ids: Sequence[str]) -> None:
        if ids:
            words = f"IDs '{', '.join(ids)}' do" if len(ids) > 1 else f"ID '{ids[0]}' does"
            raise Ec2Error("InvalidInstanceID.NotFound", f"The instance {words} not exist")

    def _terminate(self, request: Request) -> dict[str, Any]:
        ids, now = request["InstanceId"], self.clock()
        for each in ids:
            if each in self.not_ended:
                raise self.not_ended[each]
        self._refuse_unknown([each for each in ids if not self._knows(each, now)])
        if self.throttled:
            self._spend("TerminateInstances", "resources", len(ids), RESOURCE_LIMITS["TerminateInstances"])
        for each in ids:
            if self.machines[each].protected:
                words = f"The instance '{each}' may not be terminated. Modify its 'disableApiTermination' attribute."
                raise Ec2Error("OperationNotPermitted", words)
            self._refuse(missing_to_terminate(self.allows, self.machines[each]))
        for each in ids:
            self.machines[each].ended = self.machines[each].ended or now
        return {"instancesSet": [{"instanceId": each} for each in ids]}

    def _describe_templates(self, request: Request) -> dict[str, Any]:
        seen = [each.id for each in self.templates.values() if _chosen(request, _tag_filters(each.tags))]
        ids, more = self._page(seen, request)
        templates = [self.templates[each] for each in ids]
        listed = [
            {"launchTemplateId": each.id, "launchTemplateName": each.name, "tagSet": tag_set(each.tags)}
            for each in templates
        ]
        return {"launchTemplates": listed, **more}

    def _describe_status(self, request: Request) -> dict[str, Any]:
        seen = [
            {"instanceId": name, **status}
            for name, status in self.statuses.items()
            if any(_chosen(request, facts) for facts in _status_facts(status))
        ]
        return {"instanceStatusSet": seen}

    def _describe_reservations(self, request: Request) -> dict[str, Any]:
        ids = request["CapacityReservationId"]
        return {
            "capacityReservationSet": [{"capacityReservationId": each, **self.reservations[each]} for each in ids]
        }

    def _describe_spot_prices(self, request: Request) -> dict[str, Any]:
        """The prices of one zone, page by page. Answers of older SDKs have no ids of zones."""
        (zone,) = (each["Value"][0] for each in request["Filter"] if each["Name"] == "availability-zone-id")
        wanted, system = request["InstanceType"], request["ProductDescription"][0]
        seen = [
            {
                "instanceType": machine,
                "productDescription": system,
                "spotPrice": usd,
                "timestamp": datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "availabilityZone": f"zone-of-{zone}",
            }
            for machine, place, at, usd in self.spot_prices
            if (place, system) == (zone, "Linux/UNIX") and machine in wanted
        ]
        page, more = self._page(seen, request)
        return {"spotPriceHistorySet": page, **more}

    def _page(self, ids: Sequence[Any], request: Request) -> tuple[Sequence[Any], dict[str, str]]:
        start = int(request.get("NextToken", 0))
        end = start + min(self.page, int(request.get("MaxResults", self.page)))
        return ids[start:end], {"nextToken": str(end)} if end < len(ids) else {}

    def _spend(self, action: str, kind: str, count: int, limit: tuple[float, float]) -> None:
        burst, rate = limit
        now = self.clock()
        left, since = self._buckets.get((action, kind), (burst, now))
        left = min(burst, left + (now - since) * rate)
        enough = left >= count
        self._buckets[action, kind] = left - count if enough else left, now
        if not enough:
            raise Ec2Error("RequestLimitExceeded", "Request limit exceeded.", 503)

    def _id(self, kind: str) -> str:
        self._serial += 1
        return f"{kind}-{self._serial:017x}"

    def _reservation(self, ids: Sequence[str]) -> dict[str, Any]:
        instances = [shown(self.machines[each], self.state(self.machines[each])) for each in ids]
        return {"reservationId": "r-0123456789abcdef0", "ownerId": "123456789012", "instancesSet": instances}


def _tag_filters(tags: Mapping[str, str]) -> dict[str, str]:
    return {f"tag:{key}": value for key, value in tags.items()}


def _status_facts(status: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for event in status.get("eventsSet", ()):
        yield {"event.code": event["code"]}
    yield {
        f"{kind}-status.status": status.get(f"{kind}Status", {}).get("status", "ok")
        for kind in ("instance", "system")
    }


def _chosen(request: Request, facts: Mapping[str, str]) -> bool:
    return all(facts.get(each["Name"]) in each["Value"] for each in request.get("Filter", ()))
