import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, cast

from hpc_components.catalog._load import records
from hpc_components.gcp.preflight.account import GcpAccount
from hpc_components.gcp.preflight.named import named
from hpc_components.gcp.preflight.policies import demands
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.preflight.account import Action, Demand, Named, NewName
from hpc_components.preflight.asked import Asked, actions_of, sources_of
from hpc_components.preflight.login import output_of
from hpc_components.preflight.rest import RestCall, RestReader, permissions_of, rest_calls

_SERVICE = "gcp:projects/service:Service"
_ENABLES = "serviceusage.googleapis.com"
_OF_BILLING = "billing.accounts.get"
"""Permission on a billing account, which a project's role can't contain."""
_COUNTS_REQUESTS = "serviceusage.services.use"
"""Permission to count requests against a project."""
_LOG_IN = "gcloud auth application-default login"


class GcpPart:
    """See `AccountPart`."""

    @cached_property
    def calls(self) -> Mapping[str, RestCall]:
        return rest_calls(__file__)

    @cached_property
    def permissions(self) -> Mapping[str, tuple[str, ...]]:
        return permissions_of(self.calls)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        return sources_of(__file__)

    def connect(self, asked: Asked) -> GcpAccount:
        """Count requests against the cluster's project. Google's APIs refuse those of a user's default login without
        such a project. Source: Google Cloud documentation, "Quota project overview".
        """
        headers = {"X-Goog-User-Project": cast(GcpClusterSpec, asked.cluster).project}
        return self.account(asked, RestReader(self.calls, access_token, headers=headers, off=service_off))

    def account(self, asked: Asked, reader: RestReader) -> GcpAccount:
        cluster = cast(GcpClusterSpec, asked.cluster)
        return GcpAccount(reader, cluster.project, cluster.region)

    def named(self, asked: Asked) -> Iterable[Named]:
        return named(cast(GcpClusterSpec, asked.cluster))

    def new_names(self, asked: Asked) -> Iterator[NewName]:
        for name, bucket in asked.cluster.buckets.items():
            if bucket.name is not None:
                yield NewName(path=("buckets", name, "name"), kind="bucket", name=bucket.name)

    def services(self, asked: Asked) -> Mapping[str, str]:
        """Return the services of the plan's resources, except those that the plan enables."""
        enabled = {each.inputs.get("service") for each in asked.made if each.type == _SERVICE}
        by_type = {record["type"]: record["service"] for record in records("actions", __file__)}
        needed = {by_type[type]: type for type in asked.types() if type in by_type}
        return {service: type for service, type in needed.items() if service not in enabled}

    def actions(self, asked: Asked) -> Iterator[Action]:
        return actions_of(asked, __file__)

    def demands(self, asked: Asked) -> Iterator[Demand]:
        return demands(asked, cast(GcpClusterSpec, asked.cluster))

    def enable_command(self, service: str) -> str:
        return f"gcloud services enable {service}"

    def policy(self) -> str:
        """Return a custom role, for `gcloud iam roles create hpcPreflight --project ... --file`."""
        names = sorted({call.permission for call in self.calls.values() if call.permission})
        of_project = [*(name for name in names if name != _OF_BILLING), _COUNTS_REQUESTS]
        lines = ["title: hpc preflight", "stage: GA", "includedPermissions:", *(f"- {name}" for name in of_project)]
        return "\n".join(lines)


def access_token() -> str:
    """Return the user's token, as Pulumi's provider finds it: from the environment, or gcloud's default login."""
    token = os.environ.get("GOOGLE_OAUTH_ACCESS_TOKEN")
    return token or output_of("gcloud", "auth", "application-default", "print-access-token", log_in=_LOG_IN)


def service_off(body: Any) -> str | None:
    """Return the service that a refusal says is not enabled. Source: Service Usage documentation, ErrorInfo."""
    details = body.get("error", {}).get("details", ()) if isinstance(body, dict) else ()
    for each in details:
        if isinstance(each, dict) and each.get("reason") == "SERVICE_DISABLED":
            return each.get("metadata", {}).get("service", _ENABLES)
    return None


PART = GcpPart()
