"""A fast parser for the instances in EC2's responses.

The SDK converts everything that EC2 reports about an instance into Python objects: about a hundred values, although
the daemon uses only a dozen. Listing 10,000 nodes this way would keep a core busy. For the two kinds of response that
contain instances, the SDK therefore uses our own parser, which extracts only the values that the daemon needs.
Responses in an unexpected format are left to the SDK.
"""

import re
from contextlib import suppress
from datetime import datetime
from typing import Any

from botocore.parsers import EC2QueryParser, ResponseParser, ResponseParserFactory

_BEGIN = re.compile(r"<item>\s*(?=<instanceId>)")
_FIELD = re.compile(r"<(instanceId|instanceType|instanceLifecycle|launchTime|amiLaunchIndex)>([^<]+)<")
_STATE = re.compile(r"<instanceState>.*?<name>([^<]+)<", re.DOTALL)
_REASON = re.compile(r"<stateReason>\s*<code>([^<]+)<")
_TRANSITION = re.compile(r"<reason>([^<]+)<")
_ADDRESS = re.compile(r"<privateIpAddress>([^<]+)<")
"""The first is the instance's own; those of its network interfaces follow. Source: EC2 API reference,
DescribeInstances, example of a response."""
_ZONE = re.compile(r"<availabilityZoneId>([^<]+)<")
_TAG = re.compile(r"<key>(hpc:[^<]+)</key>\s*<value>([^<]*)<")
_RESERVED = "<capacityReservationTarget>"
_NEXT = re.compile(r"<nextToken>([^<]+)<")


class Readers(ResponseParserFactory):
    def create_parser(self, protocol_name: str) -> ResponseParser:
        return _Reader() if protocol_name == "ec2" else super().create_parser(protocol_name)


class _Reader(EC2QueryParser):
    def parse(self, response: dict[str, Any], shape: Any) -> dict[str, Any]:
        """Return the same result as the SDK, but without unused values.

        Only `hpc:...` tags are included. Their values are never escaped.
        """
        name = shape.name if shape is not None and response["status_code"] == 200 else ""
        if name in ("DescribeInstancesResult", "Reservation"):
            text = response["body"].decode(errors="replace")
            parts = _BEGIN.split(text)[1:]
            whole = text.rstrip().endswith("Response>")
            if whole and 0 < len(parts) == text.count("<instanceId>"):
                with suppress(KeyError, ValueError):
                    return _reply(name, text, [_instance(part) for part in parts], response)
        return super().parse(response, shape)


def _reply(name: str, text: str, instances: list[Any], response: dict[str, Any]) -> dict[str, Any]:
    metadata = {"HTTPStatusCode": response["status_code"], "HTTPHeaders": dict(response["headers"])}
    if name == "Reservation":
        return {"Instances": instances, "ResponseMetadata": metadata}
    more = _NEXT.search(text)
    told = {"NextToken": more[1]} if more else {}
    return {"Reservations": [{"Instances": instances}], **told, "ResponseMetadata": metadata}


def _instance(text: str) -> dict[str, Any]:
    fields = dict(_FIELD.findall(text))
    state = _STATE.search(text)
    if not state:
        raise ValueError("an instance without a state")
    instance: dict[str, Any] = {
        "InstanceId": fields["instanceId"],
        "InstanceType": fields["instanceType"],
        "AmiLaunchIndex": int(fields["amiLaunchIndex"]),
        "LaunchTime": datetime.fromisoformat(fields["launchTime"].replace("Z", "+00:00")),
        "State": {"Name": state[1]},
        "Tags": [{"Key": key, "Value": value} for key, value in _TAG.findall(text)],
    }
    if "instanceLifecycle" in fields:
        instance["InstanceLifecycle"] = fields["instanceLifecycle"]
    if reason := _REASON.search(text):
        instance["StateReason"] = {"Code": reason[1]}
    if transition := _TRANSITION.search(text):
        instance["StateTransitionReason"] = transition[1]
    if address := _ADDRESS.search(text):
        instance["PrivateIpAddress"] = address[1]
    if zone := _ZONE.search(text):
        instance["Placement"] = {"AvailabilityZoneId": zone[1]}
    if _RESERVED in text:
        instance["CapacityReservationSpecification"] = {"CapacityReservationTarget": {}}
    return instance
