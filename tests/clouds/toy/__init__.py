"""A cloud to play with: all that a cloud must bring, in the fewest words, and other than AWS wherever clouds are.

Its subnets are of a region, its labels know no capital letter and no colon, its spot machines have thirty seconds,
its buckets are `pond://`, its GPUs are AMD's. Its resources are those of Pulumi's package for Google Cloud.
"""
