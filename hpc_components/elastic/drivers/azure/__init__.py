"""The driver for Azure's scale sets and availability sets. Importing the package imports no SDK; the driver needs
none."""
