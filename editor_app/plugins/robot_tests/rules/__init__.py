"""Rules about signatures of ignored pairs."""
