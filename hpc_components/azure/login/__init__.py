"""Login nodes behind a single address."""
