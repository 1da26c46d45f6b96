"""Takes the place of Pulumi's engine, and records what a program registers."""
