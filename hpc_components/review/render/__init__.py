"""Renders reviews as text, as pull-request comments and as HTML pages."""
