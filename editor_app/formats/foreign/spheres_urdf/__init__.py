"""A URDF whose collision geometry is the XRDF's spheres; the original stays as it is, and so does all else in it."""

from editor_app.formats.foreign.spheres_urdf.write import spheres_urdf_text

__all__ = ["spheres_urdf_text"]
