"""What a cluster is: the models of one stack file, and the rules on them. No cloud SDK, no pulumi."""
