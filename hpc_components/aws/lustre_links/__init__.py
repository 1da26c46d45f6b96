"""Links between directories of a Lustre file system and buckets: data repository associations of FSx."""
