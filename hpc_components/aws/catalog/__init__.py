"""Facts about AWS, stored as data, and checks for values that AWS would refuse.

The core uses only `CATALOG`. AWS-specific rules, components and plan readers also use the other modules:

- `filesystems`: S3 storage classes, and reserved directories
- `efa`: layout of EFA network interfaces
- `network_limits`: endpoints, log retention and launch rate
- `images`, `lustre_clients`: public images and Lustre clients, by operating system
- `ids`, `arns`, `file_system_names`: formats of ids, ARNs and host names
- `limits`, `tag_keys`, `disk_keys`: service limits on names, tags, buckets and keys
- `prices`, `quotas`: prices and quotas of everything except machines
"""

from hpc_components.aws.catalog.arns import database_region
from hpc_components.aws.catalog.efa import addresses_per_node
from hpc_components.aws.catalog.filesystems import reserved_mounts
from hpc_components.aws.catalog.ids import id_mistake
from hpc_components.aws.catalog.images import base_image, has_image, image_parameters
from hpc_components.aws.catalog.lifecycle import cold_storage
from hpc_components.aws.catalog.limits import budget_limits, image_gib, tag_limits
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.catalog.machines import (
    is_previous_generation,
    machines,
    other_machines,
    regions,
    type_names,
)
from hpc_components.aws.catalog.network_limits import log_retention
from hpc_components.aws.catalog.pinned_images import pinned_image
from hpc_components.aws.catalog.prices import regional_price, service_price
from hpc_components.aws.catalog.quotas import machine_quota
from hpc_components.catalog.clouds import CloudCatalog

CATALOG = CloudCatalog(
    machines=machines,
    other_machines=other_machines,
    type_names=type_names,
    is_previous_generation=is_previous_generation,
    regions=regions,
    id_mistake=id_mistake,
    regional_price=regional_price,
    service_price=service_price,
    quota=machine_quota,
    addresses_per_node=addresses_per_node,
    has_image=has_image,
    image_gib=image_gib,
    base_images=image_parameters,
    base_image=base_image,
    lustre_client=lustre_client,
    pinned_image=pinned_image,
    region_of_host=database_region,
    budget_limits=budget_limits,
    log_retention=log_retention,
    cold_storage=cold_storage,
    tag_limits=tag_limits,
    reserved_mounts=reserved_mounts,
)
