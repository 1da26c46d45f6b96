"""Rules that hold on Google Cloud."""
