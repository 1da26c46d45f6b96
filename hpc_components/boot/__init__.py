"""What a node runs at first boot: one small static user-data stub."""
