"""Provides facts about Google Cloud, and checks whether Google would accept a resource's settings.

`CATALOG` is the interface for other packages. The other modules are only for Google Cloud's own rules, components and
plan readers:

- `machines`, `generations`, `boot_times`, `quotas`, `zones`: machine types, previous generations, boot times, CPU and
  GPU quotas, and zones;
- `names`, `labels`, `resource_ids`, `ids`, `gcs_urls`, `ssh_keys`: valid names, labels, ids, Cloud Storage URLs and
  SSH keys;
- `images`: public images by operating system and machine (`hpc_components.gcp.images` checks the image of a node);
- `apis`, `limits`, `prices`: required APIs, limits, and prices of services other than machines.
"""

from hpc_components.catalog.clouds import CloudCatalog
from hpc_components.gcp.catalog.file_systems import reserved_mounts
from hpc_components.gcp.catalog.generations import is_previous_generation
from hpc_components.gcp.catalog.ids import id_mistake
from hpc_components.gcp.catalog.images import has_fabric_driver, has_image, image_gib, images
from hpc_components.gcp.catalog.limits import budget_limits, log_retention, tag_limits
from hpc_components.gcp.catalog.machines import machines, other_machines, type_names
from hpc_components.gcp.catalog.pinned_images import base_image, pinned_image
from hpc_components.gcp.catalog.prices import regional_price, service_price
from hpc_components.gcp.catalog.quotas import counted_vcpus, machine_quota
from hpc_components.gcp.catalog.zones import regions
from hpc_components.gcp.data_bucket.offer import cold_storage
from hpc_components.gcp.lustre_client.packages import lustre_client
from hpc_components.gcp.placement.policy_limits import can_be_placed_as_bought

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
    counted_vcpus=counted_vcpus,
    can_be_placed_as_bought=can_be_placed_as_bought,
    has_fabric_driver=has_fabric_driver,
    has_image=has_image,
    image_gib=image_gib,
    base_images=images,
    base_image=base_image,
    lustre_client=lustre_client,
    pinned_image=pinned_image,
    budget_limits=budget_limits,
    log_retention=log_retention,
    cold_storage=cold_storage,
    tag_limits=tag_limits,
    reserved_mounts=reserved_mounts,
)
