"""Measuring in the view."""
