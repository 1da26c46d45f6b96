"""Compares a ledger with what the cloud's cost export says."""
