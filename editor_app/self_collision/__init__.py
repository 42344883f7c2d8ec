"""Self-collision: distances of all pairs, sampling, proofs, classes with their evidence, and proposals of masks.

    model = build_sphere_model(robot)
    live = distances_at(model, pose)          # all pairs at one pose, then live.set_pose(...)
    analysis = analyse(model)                 # classes with evidence
    analysis.explain(pair)                    # why

Importing this compiles and loads nothing heavy; kernels load with their first use (`warm_up`).
"""

from editor_app.self_collision.analysis import analyse
from editor_app.self_collision.edited_model import edited_sphere_model
from editor_app.self_collision.live import LiveDistances, distances_at
from editor_app.self_collision.masks import (
    Decision,
    MaskDifference,
    MaskOptions,
    MaskProposal,
    MaskRow,
    MaskState,
    MeshWords,
    compare_masks,
    conflicts,
    ignore_mapping,
    mask_state,
    propose_mask,
    with_pairs,
    without_pairs,
)
from editor_app.self_collision.meshes import MeshModel, analyse_meshes, meshes_available
from editor_app.self_collision.model import Relation, SphereModel, build_sphere_model
from editor_app.self_collision.options import Limits, ModelOptions, Uncontrolled
from editor_app.self_collision.results import (
    Analysis,
    AnalysisSettings,
    Contact,
    Distribution,
    Overlap,
    PairClass,
    PairEvidence,
    Witness,
)
from editor_app.self_collision.sampling import Sampler, Samples
from editor_app.self_collision.staleness import (
    Effect,
    PairEffect,
    affected_by,
    affected_pairs,
    carry_over,
    refresh,
)
from editor_app.self_collision.warmup import needs_compilation, warm_up
from editor_app.self_collision.witnesses import closest_configurations, distance_distribution, search_closer

__all__ = [
    "Analysis",
    "AnalysisSettings",
    "Contact",
    "Decision",
    "Distribution",
    "Effect",
    "Limits",
    "LiveDistances",
    "MaskDifference",
    "MaskOptions",
    "MaskProposal",
    "MaskRow",
    "MaskState",
    "MeshModel",
    "MeshWords",
    "ModelOptions",
    "Overlap",
    "PairClass",
    "PairEffect",
    "PairEvidence",
    "Relation",
    "Sampler",
    "Samples",
    "SphereModel",
    "Uncontrolled",
    "Witness",
    "affected_by",
    "affected_pairs",
    "analyse",
    "analyse_meshes",
    "build_sphere_model",
    "carry_over",
    "closest_configurations",
    "compare_masks",
    "conflicts",
    "distance_distribution",
    "distances_at",
    "edited_sphere_model",
    "ignore_mapping",
    "mask_state",
    "meshes_available",
    "needs_compilation",
    "propose_mask",
    "refresh",
    "search_closer",
    "warm_up",
    "with_pairs",
    "without_pairs",
]
