"""The usage costs that Google Cloud exports to BigQuery, as CSV or as JSON lines."""

from hpc_components.bill.compare.formats import MACHINES, NETWORK, STORAGE, SUPPORT, TAX, TRANSFER, CostExport

COST_EXPORT = CostExport(
    title="billing export of Google Cloud",
    source="docs.cloud.google.com, Cloud Billing: Structure of Standard data export",
    day=("usage_start_time",),
    cost=("cost",),
    service=("service.description",),
    item=("sku.description",),
    kind=("cost_type",),
    list_cost=("cost_at_list",),
    currency=("currency",),
    tags=("labels",),
    credits=("credits",),
    groups=(
        (r"\|tax$", TAX),
        (r"Support", SUPPORT),
        (r"Egress|Data Transfer|Data Processing", TRANSFER),
        (r"^(Cloud Filestore|Filestore|Cloud Storage|Google Cloud Managed Lustre|Managed Lustre)\b", STORAGE),
        (r"^Networking\b|NAT Gateway|External IP|Forwarding Rule", NETWORK),
        (r"^Compute Engine\b", MACHINES),
    ),
)
