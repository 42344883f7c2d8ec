"""Panels: one module per section of the XRDF, and the panels around the view."""
