"""How machines are purchased: on demand, as spot, with flex-start, or from a reservation."""
