"""The cost and usage report of AWS, in its two versions: they differ only in how they write the names of columns."""

from hpc_components.bill.compare.formats import (
    DISCOUNTS,
    MACHINES,
    NETWORK,
    STORAGE,
    SUPPORT,
    TAX,
    TRANSFER,
    CostExport,
)  # fmt: skip

COST_EXPORT = CostExport(
    title="cost and usage report of AWS",
    source="AWS Data Exports User Guide, table dictionary of CUR 2.0 (line item, pricing, resource tags columns), and"
    " Cost and Usage Reports, line item details",
    day=("line_item_usage_start_date",),
    cost=("line_item_unblended_cost",),
    service=("line_item_product_code",),
    item=("line_item_usage_type",),
    kind=("line_item_line_item_type",),
    list_cost=("pricing_public_on_demand_cost",),
    dynamic="SpotUsage",
    currency=("line_item_currency_code",),
    tags=("resource_tags",),
    tag_columns=("resourceTags/user:",),
    groups=(
        (r"\|Tax$", TAX),
        (r"\|(Credit|Refund|SavingsPlanNegation|\w*Discount)$", DISCOUNTS),
        (r"Support", SUPPORT),
        (r"DataTransfer|NatGateway-Bytes|AWS-Out-Bytes|AWS-In-Bytes", TRANSFER),
        (r"BoxUsage|SpotUsage|DedicatedUsage|EBS:|Reservation|UnusedBox", MACHINES),
        (r"^(AmazonFSx|AmazonEFS|AmazonS3)\b", STORAGE),
        (r"NatGateway|LoadBalancer|LCUUsage|VpcEndpoint|PublicIPv4|^(AmazonVPC|AWSELB)\b", NETWORK),
    ),
)
