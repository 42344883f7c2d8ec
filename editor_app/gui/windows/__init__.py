"""All windows of the program: what they share, and what concerns more than one of them."""
