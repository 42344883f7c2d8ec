"""Collision spheres for a mesh: fitting, figures, proof of coverage, hand tools. Metres; spheres are rows x, y, z, r.

``fit_spheres`` is the way in; ``build_solid`` prepares a mesh once for many fits. Importing this package is cheap: the
compiled parts load with the first use of a name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editor_app.fitting.certificate import certify
    from editor_app.fitting.fit import certificate_of, estimate_number, fit_spheres
    from editor_app.fitting.heat_map import DeviationMap, deviation
    from editor_app.fitting.quality import measure, measure_solid
    from editor_app.fitting.results import Certificate, CuroboReport, FitResult, Quality
    from editor_app.fitting.settings import FitSettings, FittingError, Plane
    from editor_app.fitting.solid import Solid, build_solid

_HOME = {
    "Certificate": "results",
    "certify": "certificate",
    "DeviationMap": "heat_map",
    "deviation": "heat_map",
    "FitResult": "results",
    "certificate_of": "fit",
    "estimate_number": "fit",
    "fit_spheres": "fit",
    "CuroboReport": "results",
    "Quality": "results",
    "measure": "quality",
    "measure_solid": "quality",
    "FitSettings": "settings",
    "FittingError": "settings",
    "Plane": "settings",
    "Solid": "solid",
    "build_solid": "solid",
}

__all__ = [
    "Certificate",
    "CuroboReport",
    "DeviationMap",
    "FitResult",
    "FitSettings",
    "FittingError",
    "Plane",
    "Quality",
    "Solid",
    "build_solid",
    "certificate_of",
    "certify",
    "deviation",
    "estimate_number",
    "fit_spheres",
    "measure",
    "measure_solid",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
