"""Rules that apply only on Google Cloud."""
