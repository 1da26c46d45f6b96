"""Facts of AWS as data, and what AWS would refuse of an order."""
