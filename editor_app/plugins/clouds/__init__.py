"""Point clouds against spheres: which measured points of a robot no sphere covers."""
