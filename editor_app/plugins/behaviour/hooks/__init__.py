"""Steps of comparisons that judge configurations and motions."""
