"""The verb batch: a fleet of robots through the other verbs, on this machine or on many."""
