"""What the acceptance test needs of this cloud."""
