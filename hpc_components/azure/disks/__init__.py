"""Node disks: managed disks, and root disks on machines' local disks."""
