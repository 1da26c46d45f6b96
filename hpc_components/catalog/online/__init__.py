"""Fetches the clouds' public price lists. Used only by `hpc catalog refresh`."""
