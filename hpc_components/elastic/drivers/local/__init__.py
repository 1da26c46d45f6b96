"""The driver for a rehearsal, in which this machine emulates the cluster's machines."""
