"""Pictures of robots without a window: stills for reports, and 3D views for notebooks. PyVista
draws, without Qt."""
