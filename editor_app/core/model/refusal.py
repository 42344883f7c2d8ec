"""Exceptions that end a verb or a command with a sentence for the user, and are no fault of the
program."""

from __future__ import annotations


class Refusal(Exception):
    """The text says what cannot be done, why, and what to do instead."""


class Refused(Refusal):
    """A request that cannot be done with this robot, these files or these settings."""
