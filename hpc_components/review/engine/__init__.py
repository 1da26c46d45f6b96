"""Reviews of what Pulumi's own engine writes: previews, event logs, and states of stacks."""
