"""Behaviour of two robots: the configurations and motions that only one of them accepts."""

NEEDS = ("comparison", "motion")
