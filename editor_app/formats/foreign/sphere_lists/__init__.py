"""Lists of spheres that other tools fit: Bubblify, foam, ballpark, and URDFs whose collision geometry is spheres."""

from editor_app.formats.foreign.sphere_lists.read import SphereList, is_sphere_list, read_sphere_list, spheres_in_urdf

__all__ = ["SphereList", "is_sphere_list", "read_sphere_list", "spheres_in_urdf"]
