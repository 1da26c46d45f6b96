"""Purchase options: on demand, spot, flex-start and reservations."""
