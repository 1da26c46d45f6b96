from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.limits import log_retention_days
from hpc_components.azure.ports import Group, LogStore
from hpc_components.azure.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import protected_options

TABLE = "HpcBoot_CL"
"""Table name. Azure requires the suffix `_CL`. Source: Azure Monitor documentation, "Create a custom table"."""

STREAM = f"Custom-{TABLE}"

AUDIT_TABLE = "HpcAudit_CL"
"""Table of the audit trail."""

_T = "string"
_COLUMNS: Mapping[str, Mapping[str, str]] = {
    TABLE: {"TimeGenerated": "datetime", "Computer": _T, "Message": _T},
    AUDIT_TABLE: {"TimeGenerated": "datetime", "Computer": _T, "Kind": _T, "Who": _T, "What": _T, "Source": _T},
}
"""Types of columns, keyed by table and column. Nodes post rows with these."""

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
    audit_days: int | None = None
    """Number of days to keep the audit trail. None: no table for it."""
    retain: bool = True
    """With `audit_days`: whether to protect the workspace, and to keep it in the cloud when it is removed from the
    program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if Log Analytics does not offer this retention."""
        days = log_retention_days()
        for name, kept in (("retention_days", self.retention_days), ("audit_days", self.audit_days)):
            if kept is not None and kept not in days:
                raise ValueError(
                    f"NodeLogsArgs.{name}: Log Analytics can't keep logs for {kept} days; use {days[0]} to {days[-1]}"
                )


class NodeLogs(Component[NodeLogsArgs]):
    """A workspace with a table for logs of failed boots and one for the audit trail, and an endpoint to which nodes
    post rows.

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
        self._data = protected_options(self, opts, retain=args.retain) if args.audit_days else self._child
        workspace = self._make_workspace()
        tables = {TABLE: self._make_table(workspace, f"{name}-table", TABLE)}
        if args.audit_days:
            tables[AUDIT_TABLE] = self._make_table(workspace, f"{name}-audit-table", AUDIT_TABLE, args.audit_days)
        endpoint = azure_native.monitor.DataCollectionEndpoint(
            f"{name}-endpoint",
            data_collection_endpoint_name=name[:MAX_ENDPOINT_NAME_LENGTH],
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(f"{name}-endpoint"),
            opts=self._child,
        )
        rule = self._make_rule(workspace, tables, endpoint)
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
            opts=self._data,
        )

    def _make_table(
        self,
        workspace: "azure_native.operationalinsights.Workspace",
        name: str,
        table: str,
        days: int | None = None,
    ) -> "azure_native.operationalinsights.Table":
        kinds = azure_native.operationalinsights.ColumnTypeEnum
        types: dict[str, azure_native.operationalinsights.ColumnTypeEnum] = {
            each.value.lower(): each for each in kinds
        }
        # deleting a workspace deletes its tables
        within = pulumi.ResourceOptions(deleted_with=workspace)
        return azure_native.operationalinsights.Table(
            name,
            table_name=table,
            workspace_name=workspace.name,
            resource_group_name=self._args.group.name,
            plan=azure_native.operationalinsights.TablePlanEnum.ANALYTICS,
            retention_in_days=days,
            schema=azure_native.operationalinsights.SchemaArgs(
                name=table,
                columns=[
                    azure_native.operationalinsights.ColumnArgs(name=column, type=types[kind])
                    for column, kind in _COLUMNS[table].items()
                ],
            ),
            opts=pulumi.ResourceOptions.merge(self._data if days else self._child, within),
        )

    def _make_rule(
        self,
        workspace: "azure_native.operationalinsights.Workspace",
        tables: Mapping[str, "azure_native.operationalinsights.Table"],
        endpoint: "azure_native.monitor.DataCollectionEndpoint",
    ) -> "azure_native.monitor.DataCollectionRule":
        monitor = azure_native.monitor
        kinds = monitor.KnownColumnDefinitionType
        types: dict[str, monitor.KnownColumnDefinitionType] = {each.value.lower(): each for each in kinds}
        return monitor.DataCollectionRule(
            f"{self._name}-rule",
            description="Logs of failed boots, as the nodes of a cluster post them",
            resource_group_name=self._args.group.name,
            location=self._args.group.location,
            data_collection_endpoint_id=endpoint.id,
            stream_declarations={
                f"Custom-{table}": monitor.StreamDeclarationArgs(
                    columns=[
                        monitor.ColumnDefinitionArgs(name=column, type=types[kind])
                        for column, kind in _COLUMNS[table].items()
                    ]
                )
                for table in tables
            },
            destinations=monitor.DataCollectionRuleDestinationsArgs(
                log_analytics=[
                    monitor.LogAnalyticsDestinationArgs(name="workspace", workspace_resource_id=workspace.id)
                ]
            ),
            data_flows=[
                monitor.DataFlowArgs(
                    streams=[f"Custom-{table}"],
                    destinations=["workspace"],
                    transform_kql="source",
                    output_stream=f"Custom-{table}",
                )
                for table in tables
            ],
            tags=self._args.tags.for_resource(f"{self._name}-rule"),
            # Azure refuses a rule for a table that does not exist
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(tables.values())),
        )
