"""Login nodes behind one address."""
