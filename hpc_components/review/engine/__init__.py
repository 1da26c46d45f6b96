"""What Pulumi's own engine says: its previews, its logs of events, and the states of its stacks."""
