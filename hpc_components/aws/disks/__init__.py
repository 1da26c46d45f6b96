"""Node disks, which are EBS volumes."""
