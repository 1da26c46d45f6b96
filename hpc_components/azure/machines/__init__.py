"""Machine types, and the parts that machines of every kind share."""
