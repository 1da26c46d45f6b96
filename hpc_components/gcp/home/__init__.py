"""Home file systems: Filestore instances, over NFS."""
