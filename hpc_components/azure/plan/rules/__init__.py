"""Rules for Azure plans."""
