from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.limits import log_retention_days
from hpc_components.azure.ports import Group, LogStore
from hpc_components.azure.tags import Tags
from hpc_components.component import Component

TABLE = "HpcBoot_CL"
"""Table name. Azure requires the suffix `_CL`. Source: Azure Monitor documentation, "Create a custom table"."""

STREAM = f"Custom-{TABLE}"

MAX_ENDPOINT_NAME_LENGTH = 44
"""Maximum length of an endpoint's name. Source: Azure Monitor documentation, data collection endpoint."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeLogsArgs:
    """Arguments of `NodeLogs`."""

    group: Group
    """Resource group of the workspace."""
    retention_days: int = 180
    """Number of days to keep logs."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if Log Analytics does not offer this retention."""
        if self.retention_days not in log_retention_days():
            days = log_retention_days()
            raise ValueError(
                f"NodeLogsArgs.retention_days: Log Analytics can't keep logs for {self.retention_days} days;"
                f" use {days[0]} to {days[-1]}"
            )


class NodeLogs(Component[NodeLogsArgs]):
    """A workspace with a table for logs of failed boots, and an endpoint to which nodes post log rows.

    Nodes authenticate to the endpoint with their identity.
    """

    logs: LogStore
    """Address to which nodes send logs."""
    workspace_id: Output[str]
    """Id of the workspace."""

    def _make(self, name: str, args: NodeLogsArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:NodeLogs", name, {"retentionDays": args.retention_days}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        workspace = self._make_workspace()
        table = self._make_table(workspace)
        endpoint = azure_native.monitor.DataCollectionEndpoint(
            f"{name}-endpoint",
            data_collection_endpoint_name=name[:MAX_ENDPOINT_NAME_LENGTH],
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(f"{name}-endpoint"),
            opts=self._child,
        )
        rule = self._make_rule(workspace, table, endpoint)
        ingestion = endpoint.logs_ingestion.apply(lambda found: found.endpoint if found else "")
        self.logs = LogStore(
            address=Output.concat(ingestion, "/dataCollectionRules/", rule.immutable_id, f"/streams/{STREAM}"),
            rule_id=rule.id,
        )
        self.workspace_id = workspace.id
        self.register_outputs({"workspaceId": self.workspace_id, "address": self.logs.address})

    def _make_workspace(self) -> "azure_native.operationalinsights.Workspace":
        args = self._args
        return azure_native.operationalinsights.Workspace(
            self._name,
            resource_group_name=args.group.name,
            location=args.group.location,
            sku=azure_native.operationalinsights.WorkspaceSkuArgs(
                name=azure_native.operationalinsights.WorkspaceSkuNameEnum.PER_GB2018
            ),
            retention_in_days=args.retention_days,
            tags=args.tags.for_resource(self._name),
            opts=self._child,
        )

    def _make_table(
        self, workspace: "azure_native.operationalinsights.Workspace"
    ) -> "azure_native.operationalinsights.Table":
        types = azure_native.operationalinsights.ColumnTypeEnum
        columns = {"TimeGenerated": types.DATE_TIME, "Computer": types.STRING, "Message": types.STRING}
        return azure_native.operationalinsights.Table(
            f"{self._name}-table",
            table_name=TABLE,
            workspace_name=workspace.name,
            resource_group_name=self._args.group.name,
            plan=azure_native.operationalinsights.TablePlanEnum.ANALYTICS,
            schema=azure_native.operationalinsights.SchemaArgs(
                name=TABLE,
                columns=[
                    azure_native.operationalinsights.ColumnArgs(name=column, type=kind)
                    for column, kind in columns.items()
                ],
            ),
            # deleting a workspace deletes its tables
            opts=pulumi.ResourceOptions(parent=self, deleted_with=workspace),
        )

    def _make_rule(
        self,
        workspace: "azure_native.operationalinsights.Workspace",
        table: "azure_native.operationalinsights.Table",
        endpoint: "azure_native.monitor.DataCollectionEndpoint",
    ) -> "azure_native.monitor.DataCollectionRule":
        monitor, types = azure_native.monitor, azure_native.monitor.KnownColumnDefinitionType
        columns = {"TimeGenerated": types.DATETIME, "Computer": types.STRING, "Message": types.STRING}
        return monitor.DataCollectionRule(
            f"{self._name}-rule",
            description="Logs of failed boots, as the nodes of a cluster post them",
            resource_group_name=self._args.group.name,
            location=self._args.group.location,
            data_collection_endpoint_id=endpoint.id,
            stream_declarations={
                STREAM: monitor.StreamDeclarationArgs(
                    columns=[monitor.ColumnDefinitionArgs(name=column, type=kind) for column, kind in columns.items()]
                )
            },
            destinations=monitor.DataCollectionRuleDestinationsArgs(
                log_analytics=[
                    monitor.LogAnalyticsDestinationArgs(name="workspace", workspace_resource_id=workspace.id)
                ]
            ),
            data_flows=[
                monitor.DataFlowArgs(
                    streams=[STREAM], destinations=["workspace"], transform_kql="source", output_stream=STREAM
                )
            ],
            tags=self._args.tags.for_resource(f"{self._name}-rule"),
            # Azure refuses a rule for a table that does not exist
            opts=pulumi.ResourceOptions(parent=self, depends_on=[table]),
        )
