"""Creates and checks home file systems, which are Filestore instances mounted over NFS."""
