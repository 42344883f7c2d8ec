"""What the formats of simulators leave to the user alike."""

from __future__ import annotations

from editor_app.formats.exchange.codec import Choice

COLLIDE = "collide"
SPHERES = Choice(
    "simulator_spheres",
    "Spheres in a model that is there",
    "spheres that are added to a model of MuJoCo or USD that is there: shown, without contacts; or colliding",
    (("shown, without contacts", None), ("colliding", COLLIDE)),
)
