"""Creates and checks queues' compute fleets: one instance template per machine type and zone."""
