"""Machines of Azure's scale sets. Importing the package imports no SDK; the driver needs none."""
