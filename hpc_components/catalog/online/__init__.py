"""Readers of the clouds' public price lists over the network, for `hpc catalog refresh` only."""
