"""Creates and checks Managed Lustre file systems, and their transfers from and to Cloud Storage."""
