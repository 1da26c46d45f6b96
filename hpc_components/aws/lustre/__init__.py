"""FSx for Lustre, a parallel file system."""
