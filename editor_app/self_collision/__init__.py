"""Self-collision: distances of all pairs, sampling, proofs, classes with their evidence, and proposals of masks.

    model = build_sphere_model(robot)
    live = distances_at(model, pose)          # all pairs at one pose, then live.set_pose(...)
    analysis = analyse(model)                 # classes with evidence
    analysis.explain(pair)                    # why

Importing this compiles and loads nothing heavy; kernels load with their first use (`warm_up`).
"""

from editor_app.self_collision.analysis import analyse
from editor_app.self_collision.live import Contact, LiveDistances, Overlap, distances_at
from editor_app.self_collision.model import (
    Limits,
    ModelOptions,
    Relation,
    SphereModel,
    Uncontrolled,
    build_sphere_model,
)
from editor_app.self_collision.results import Analysis, AnalysisSettings, PairClass, PairEvidence
from editor_app.self_collision.sampling import Sampler, Samples
from editor_app.self_collision.warmup import needs_compilation, warm_up

__all__ = [
    "Analysis",
    "AnalysisSettings",
    "Contact",
    "Limits",
    "LiveDistances",
    "ModelOptions",
    "Overlap",
    "PairClass",
    "PairEvidence",
    "Relation",
    "Sampler",
    "Samples",
    "SphereModel",
    "Uncontrolled",
    "analyse",
    "build_sphere_model",
    "distances_at",
    "needs_compilation",
    "warm_up",
]
