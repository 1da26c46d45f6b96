"""Home file systems: premium Azure Files shares over NFS, or NetApp Files volumes."""
