"""Fields and item models that are bound to the document: what a panel is made of."""
