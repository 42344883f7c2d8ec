"""Steps of other features' work that this plug-in adds."""
