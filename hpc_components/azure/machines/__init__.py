"""Rules for machine types, and settings shared by all kinds of machines."""
