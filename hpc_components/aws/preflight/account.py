from collections.abc import Collection, Iterator, Mapping
from typing import Any

from hpc_components.aws.catalog.arns import read_arn
from hpc_components.aws.preflight.look_ups import LOOK_UPS
from hpc_components.aws.preflight.reader import Reader
from hpc_components.preflight.account import (
    Demand,
    Forbidden,
    NotAnsweredError,
    NotPermittedError,
    Owner,
    QuotaSeen,
    Seen,
)

_NO_SUCH_QUOTA = ("NoSuchResourceException", "NoSuchResource")
_ACTIONS_IN_A_CALL = 50
"""Small enough that a slow simulation does not time out."""


class AwsAccount:
    """See `Account`."""

    def __init__(self, reader: Reader, region: str) -> None:
        self._reader, self._region = reader, region
        self._caller = reader.found("sts:GetCallerIdentity")

    @property
    def who(self) -> str:
        return f"account {self._caller['Account']}"

    def problem(self) -> str:
        """AWS refuses the credentials of a suspended account, so an account that answers is active."""
        return ""

    def closed(self, region: str, zones: Collection[str]) -> Mapping[str, str]:
        told = self._reader.found("ec2:DescribeRegions", RegionNames=[region], absent=["InvalidParameterValue"])
        status = next((each.get("OptInStatus") for each in told.get("Regions", ())), "unknown")
        if status in ("not-opted-in", "unknown"):
            why = "it must be enabled first" if status == "not-opted-in" else "AWS has no such region"
            return {region: f"{why} ({status})"}
        answer = self._reader.found("ec2:DescribeAvailabilityZones", AllAvailabilityZones=True)
        known = {each["ZoneId"]: each for each in answer["AvailabilityZones"]}
        return {zone: why for zone in zones if (why := _closed_zone(known.get(zone)))}

    def offers(self, machine: str) -> Mapping[str, str]:
        answer = self._reader.found(
            "ec2:DescribeInstanceTypeOfferings",
            LocationType="availability-zone-id",
            Filters=[{"Name": "instance-type", "Values": [machine]}],
        )
        return {each["Location"]: "" for each in answer["InstanceTypeOfferings"]}

    def quota(self, need: Mapping[str, Any]) -> QuotaSeen | None:
        """Return the applied quota or, if it was never changed, AWS's default. The usage is not part of either."""
        if need["code"] is None:
            return None
        which = {"ServiceCode": need["service"], "QuotaCode": need["code"]}
        for call in ("GetServiceQuota", "GetAWSDefaultServiceQuota"):
            answer = self._reader.call(f"service-quotas:{call}", absent=_NO_SUCH_QUOTA, **which)
            if answer:
                return QuotaSeen(limit=answer["Quota"]["Value"])
        return None

    def look_up(self, kind: str, id: str) -> Seen | None:
        return LOOK_UPS[kind](self._reader, id)

    def owner(self, kind: str, name: str) -> Owner | None:
        if kind == "log group":
            answer = self._reader.found("logs:DescribeLogGroups", logGroupNamePrefix=name)
            return "caller" if any(each["logGroupName"] == name for each in answer["logGroups"]) else None
        try:
            found = self._reader.call("s3:HeadBucket", Bucket=name, absent=["404", "NoSuchBucket"])
        except NotPermittedError:
            return "unknown"
        return "caller" if found is not None else None

    def disabled(self, services: Collection[str]) -> Collection[str]:
        """AWS's services need not be enabled."""
        return ()

    def refused(self, actions: Collection[str]) -> Mapping[str, bool]:
        principal = self._principal()
        if principal is None:
            return {}
        return {
            each["EvalActionName"]: each["EvalDecision"] == "explicitDeny"
            for each in self._simulated(principal, actions)
            if each["EvalDecision"] != "allowed" and not _forbidden_by_organization(each)
        }

    def forbidden(self, demand: Demand) -> Forbidden | None:
        """Ask about the actions of the demand. IAM's simulation leaves out service control policies that have
        conditions, such as those for regions. Source: IAM user guide, "IAM policy testing with the IAM policy
        simulator".
        """
        principal = self._principal()
        if principal is None:
            return None
        results = self._simulated(principal, demand.value)
        names = sorted(each["EvalActionName"] for each in results if _forbidden_by_organization(each))
        return Forbidden(by=f"a service control policy ({', '.join(names)})") if names else None

    def _simulated(self, principal: str, actions: Collection[str]) -> Iterator[Mapping[str, Any]]:
        every = list(actions)
        for start in range(0, len(every), _ACTIONS_IN_A_CALL):
            answer = self._reader.found(
                "iam:SimulatePrincipalPolicy",
                PolicySourceArn=principal,
                ActionNames=every[start : start + _ACTIONS_IN_A_CALL],
            )
            yield from answer["EvaluationResults"]

    def _principal(self) -> str | None:
        """Return the ARN whose policies IAM can simulate, or None for the root user, who may do everything."""
        arn = read_arn(self._caller["Arn"])
        if arn is None:
            raise NotAnsweredError(f"IAM can't simulate the permissions of {self._caller['Arn']}")
        if arn.resource == "root":
            return None
        kind, _, rest = arn.resource.partition("/")
        if kind == "user":
            return self._caller["Arn"]
        if kind == "assumed-role":
            return self._reader.found("iam:GetRole", RoleName=rest.partition("/")[0])["Role"]["Arn"]
        raise NotAnsweredError(f"IAM can't simulate the permissions of a {kind}")


def _forbidden_by_organization(result: Mapping[str, Any]) -> bool:
    """Return whether a service control policy denies a simulated action. Source: IAM API, EvaluationResult."""
    return result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations") is False


def _closed_zone(zone: Mapping[str, Any] | None) -> str:
    if zone is None:
        return "the account has no such zone"
    if zone.get("OptInStatus") == "not-opted-in":
        return "it must be enabled first (not-opted-in)"
    return "" if zone.get("State", "available") == "available" else f"its state is {zone['State']}"
