"""The driver for a rehearsal, in which the cluster's machines are emulated on this machine."""
