"""Renders forecasts as text and as HTML pages."""
