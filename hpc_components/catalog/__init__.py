"""Facts of the field as data: machines, zones, fabric, prices, quotas, file system steps; each with source and date."""
