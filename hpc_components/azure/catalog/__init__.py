"""Facts about Azure as data, and checks for values that Azure would refuse.

Other packages use only `CATALOG`. The other modules are used by Azure's own rules, components and plan readers:

- `lifecycle`: lifecycle rules for Blob storage, and their refusals;
- `machines`, `size_names`, `quotas`, `zones`: retirements, parsed size names, core quotas, and zones;
- `names`, `tag_names`, `blob_urls`, `arm_ids`, `ids`: formats of names, tags, container URLs and ids;
- `images`: public images by operating system and machine (`hpc_components.azure.images` checks the image of a node);
- `networks`, `roles`, `throttles`, `limits`, `prices`: subnet requirements, built-in roles, Azure Resource Manager's
  rate limits, other limits, and list prices.
"""

from hpc_components.azure.catalog.file_systems import reserved_mounts
from hpc_components.azure.catalog.ids import id_mistake
from hpc_components.azure.catalog.images import all_images, base_image, has_fabric_driver, has_image, image_gib
from hpc_components.azure.catalog.lifecycle import cold_storage
from hpc_components.azure.catalog.limits import budget_limits, log_retention, tag_limits
from hpc_components.azure.catalog.machines import is_previous_generation, machines, other_machines, type_names
from hpc_components.azure.catalog.pinned_images import pinned_image
from hpc_components.azure.catalog.prices import regional_price, service_price
from hpc_components.azure.catalog.quotas import counted_vcpus, machine_quota
from hpc_components.azure.catalog.zones import regions
from hpc_components.azure.lustre_client.packages import lustre_client
from hpc_components.catalog.clouds import CloudCatalog

CATALOG = CloudCatalog(
    machines=machines,
    other_machines=other_machines,
    type_names=type_names,
    is_previous_generation=is_previous_generation,
    without_prefix=lambda name: name.removeprefix("standard_"),
    regions=regions,
    id_mistake=id_mistake,
    regional_price=regional_price,
    service_price=service_price,
    quota=machine_quota,
    counted_vcpus=counted_vcpus,
    has_fabric_driver=has_fabric_driver,
    has_image=has_image,
    image_gib=image_gib,
    base_images=all_images,
    base_image=base_image,
    lustre_client=lustre_client,
    pinned_image=pinned_image,
    budget_limits=budget_limits,
    log_retention=log_retention,
    cold_storage=cold_storage,
    tag_limits=tag_limits,
    reserved_mounts=reserved_mounts,
)
