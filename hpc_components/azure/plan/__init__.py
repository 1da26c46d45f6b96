"""Readings of recorded Azure resources for plans; `reader` offers them all."""
