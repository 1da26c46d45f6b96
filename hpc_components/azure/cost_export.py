"""The cost details that Azure exports. Agreements differ in the capital letters of columns."""

from hpc_components.bill.compare.formats import DISCOUNTS, MACHINES, NETWORK, STORAGE, SUPPORT, TRANSFER, CostExport

COST_EXPORT = CostExport(
    title="cost details of Azure",
    source="learn.microsoft.com, Cost Management: Understand cost details fields; schemas cost-usage-details-ea and"
    " cost-usage-details-mca",
    day=("date", "UsageDateTime"),
    cost=("costInBillingCurrency", "Cost", "PreTaxCost"),
    service=("meterCategory",),
    item=("meterSubCategory", "meterName"),
    kind=("chargeType",),
    list_cost=("paygCostInBillingCurrency",),
    dynamic=r"\bSpot\b",
    currency=("billingCurrency", "billingCurrencyCode"),
    tags=("tags",),
    groups=(
        (r"\|(Refund|Adjustment|\w*Credit)$", DISCOUNTS),
        (r"Support", SUPPORT),
        (r"^Bandwidth\b|Data Transfer|Data Processed", TRANSFER),
        (r"^Virtual Machines\b|Managed Disks?\b|Disks\b", MACHINES),
        (r"NetApp|^Storage\b|Azure Files|Lustre", STORAGE),
        (r"^(Virtual Network|Load Balancer|NAT Gateway|Azure Bastion|VPN Gateway)\b", NETWORK),
    ),
)
