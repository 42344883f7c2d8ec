"""Proven margins: the clearance that is left when joints and frames deviate from their nominal
values."""

NEEDS = ("motion",)
