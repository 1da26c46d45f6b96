"""Home file systems: a premium share of Azure Files over NFS, or a volume of NetApp Files."""
