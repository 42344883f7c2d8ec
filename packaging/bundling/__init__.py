"""What bundles are made of, and the forms in which they are handed out."""
