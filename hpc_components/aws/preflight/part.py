import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import cast

from hpc_components.aws.preflight.account import AwsAccount
from hpc_components.aws.preflight.named import named
from hpc_components.aws.preflight.reader import Reader, calls, clients_of
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.preflight.account import Action, Demand, Named, NewName
from hpc_components.preflight.asked import Asked, actions_of, sources_of


class AwsPart:
    """See `AccountPart`."""

    @cached_property
    def permissions(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for call in calls().values():
            for read in call.reads:
                found[read] = found.get(read, ()) + ((call.permission,) if call.permission else ())
        return found

    @cached_property
    def sources(self) -> Mapping[str, str]:
        return sources_of(__file__)

    def connect(self, asked: Asked) -> AwsAccount:
        """Use the credentials that Pulumi's provider would use: the profile in the stack's configuration, or boto3's
        defaults.
        """
        profile = asked.config.get("aws:profile")
        region = asked.cluster.region
        clients = clients_of(region, profile if isinstance(profile, str) else None)
        return AwsAccount(Reader(clients), region)

    def named(self, asked: Asked) -> Iterable[Named]:
        return named(cast(AwsClusterSpec, asked.cluster))

    def new_names(self, asked: Asked) -> Iterator[NewName]:
        """Yield the names that Pulumi does not make unique: those of described buckets and of log groups."""
        for name, bucket in asked.cluster.buckets.items():
            if bucket.name is not None and bucket.type == "s3":
                yield NewName(path=("buckets", name, "name"), kind="bucket", name=bucket.name)
        for each in asked.made:
            name = each.inputs.get("name")
            if each.type == "aws:cloudwatch/logGroup:LogGroup" and isinstance(name, str):
                yield NewName(path=("name",), kind="log group", name=name)

    def services(self, asked: Asked) -> Mapping[str, str]:
        """AWS's services need not be enabled."""
        return {}

    def enable_command(self, service: str) -> str:
        """See `services`."""
        return ""

    def actions(self, asked: Asked) -> Iterator[Action]:
        return actions_of(asked, __file__)

    def demands(self, asked: Asked) -> Iterator[Demand]:
        """Yield the actions for the resources of each key."""
        by_key: dict[str, list[Action]] = {}
        for each in self.actions(asked):
            by_key.setdefault(each.key, []).append(each)
        for key, some in by_key.items():
            types = ", ".join(sorted({each.type for each in some}))
            names = tuple(dict.fromkeys(each.name for each in some))
            yield Demand(
                path=asked.path_of(key), policy="service control policies", value=names, words=f"creating {types}"
            )

    def policy(self) -> str:
        """Return an IAM policy. AWS permits most calls that list things only for all resources."""
        actions = sorted({call.permission for call in calls().values() if call.permission})
        statement = {"Sid": "HpcPreflight", "Effect": "Allow", "Action": actions, "Resource": "*"}
        return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, indent=2)


PART = AwsPart()
