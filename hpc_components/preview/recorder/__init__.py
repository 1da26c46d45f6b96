"""Stands where Pulumi's engine would be, and writes down what a program registers."""
