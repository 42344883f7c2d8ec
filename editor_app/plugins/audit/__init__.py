"""Audits of self-collision masks: entries that two collision engines refute, and a patch that
corrects them."""
