"""Rules on Tier_1 networking."""

from collections.abc import Iterator

from hpc_components.gcp.catalog.tier_1 import tier_1_refusals
