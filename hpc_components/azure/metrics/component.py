from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.identity.roles import Grant, built_in_role, grant
from hpc_components.azure.ports import Group, Identity
from hpc_components.azure.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import protected_options

STREAM = "streams/Microsoft-PrometheusMetrics/api/v1/write?api-version=2023-04-24"
"""End of the address for metrics. Sources: Azure Monitor documentation, "Send Prometheus metrics from virtual
machines, scale sets, or Kubernetes clusters to an Azure Monitor workspace"; Azure/ARO-HCP, output `dcePromUrl`."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class MetricsWorkspaceArgs:
    """Arguments of `MetricsWorkspace`."""

    group: Group
    """Resource group of a new workspace."""
    workspace: str | None = None
    """Id of an existing Azure Monitor workspace. Default: a new one."""
    head: Identity
    """Identity of the head node. An existing identity gets no role."""
    retain: bool = True
    """Whether to protect a new workspace, and to keep it in the cloud when it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class MetricsWorkspace(Component[MetricsWorkspaceArgs]):
    """An Azure Monitor workspace, and the role with which the head node sends metrics to it.

    Azure makes a data collection rule and an endpoint along with a workspace. The role applies to this rule, and
    permits neither to read metrics nor to delete them. The service keeps metrics for 18 months.
    """

    workspace_id: Output[str]
    """Id of the workspace."""
    write_url: Output[str]
    """URL to which Prometheus sends metrics."""
    query_url: Output[str]
    """URL of the workspace as a data source for Grafana, which must log in to Microsoft Entra."""

    def _make(self, name: str, args: MetricsWorkspaceArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:MetricsWorkspace", name, {"existing": args.workspace is not None}, opts)
        child, monitor = pulumi.ResourceOptions(parent=self), azure_native.monitor
        workspace = self._workspace(name, args, opts)
        made = workspace.default_ingestion_settings
        rule_id = made.apply(lambda each: each.data_collection_rule_resource_id)
        endpoint_id = made.apply(lambda each: each.data_collection_endpoint_resource_id)
        rule = monitor.DataCollectionRule.get(f"{name}-rule", rule_id, opts=child)
        endpoint = monitor.DataCollectionEndpoint.get(f"{name}-endpoint", endpoint_id, opts=child)
        sends = Grant(
            name="sends-metrics",
            role=built_in_role("Monitoring Metrics Publisher"),
            scope=rule_id,
            why="The head node sends metrics",
        )
        grant(name, args.head, [sends], child)
        ingestion = endpoint.metrics_ingestion.apply(lambda found: found.endpoint if found else "")
        self.workspace_id = workspace.id
        self.write_url = Output.concat(ingestion, "/dataCollectionRules/", rule.immutable_id, f"/{STREAM}")
        self.query_url = workspace.metrics.apply(lambda each: each.prometheus_query_endpoint)
        self.register_outputs(
            {"workspaceId": self.workspace_id, "writeUrl": self.write_url, "queryUrl": self.query_url}
        )

    def _workspace(
        self, name: str, args: MetricsWorkspaceArgs, opts: pulumi.ResourceOptions | None
    ) -> "azure_native.monitor.AzureMonitorWorkspace":
        if args.workspace is not None:
            return azure_native.monitor.AzureMonitorWorkspace.get(
                name, args.workspace, opts=pulumi.ResourceOptions(parent=self)
            )
        return azure_native.monitor.AzureMonitorWorkspace(
            name,
            azure_monitor_workspace_name=name,
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(name),
            opts=protected_options(self, opts, retain=args.retain),
        )
