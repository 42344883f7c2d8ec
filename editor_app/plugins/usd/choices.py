"""Choices of a user for a USD that is read or written."""

from __future__ import annotations

from editor_app.core.formats.exchange.codec import Choice

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
LAYER, FREE = "layer", "free"
TRIANGLES, BALLS = "meshes", "spheres"
VARIANTS = Choice(
    "usd_variants",
    "Variants of the file",
    "variants to read from a USD: SET=NAME, several separated by commas",
)
BELOW = Choice(
    "usd_robot",
    "USD of the robot",
    "write a layer over this USD of the robot (default with --usd-form layer: the USD that the "
    "URDF was imported from, "
    "else the one with its name)",
)
ROOT = Choice(
    "usd_root",
    "Prim of the robot",
    "prim in the USD above the robot's links (default: /NAME of the URDF)",
)
FORM = Choice(
    "usd_form",
    "USD",
    "a stage that needs no other file, or a layer with only the changes, over the USD that the "
    "robot came from",
    (("the whole robot", None), ("layer over the robot's USD", LAYER)),
)
LAYOUT = Choice(
    "usd_layout",
    "Links in the USD",
    "links in the USD: all below the robot's prim, as Isaac Sim's importer does, or each below "
    "its parent",
    (("all below the robot's prim", None), ("each below its parent", "nested")),
)
COLLISION = Choice(
    "usd_collision",
    "What collides",
    "what collides in a whole robot: convex hulls of the collision meshes, their triangles, or "
    "the spheres",
    (("convex hulls", None), ("triangle meshes", TRIANGLES), ("spheres", BALLS)),
)
BASE = Choice(
    "usd_base",
    "Base",
    "whether the base of a whole robot is fixed to the world, or free",
    (("fixed to the world", None), ("free", FREE)),
)
