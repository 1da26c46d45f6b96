"""Reads the clouds' public price lists over the network. Used only by `hpc catalog refresh`."""
