"""The driver for Compute Engine. Importing the package imports no SDK; the driver needs none."""
