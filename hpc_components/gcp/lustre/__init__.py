"""Creates and checks Managed Lustre file systems, and their transfers to and from Cloud Storage."""
