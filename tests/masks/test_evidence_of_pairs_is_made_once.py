"""The evidence of all pairs: made once, and after an edit only where it changed, yet always the
same as made anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from editor_app import open_robot
from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.options import Limits, ModelOptions
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.engine.staleness import carry_over
from editor_app.features.masks.verbs.robot_pairs import KeptEvidence
from tests.helpers.robots import sample_urdf


def test_after_an_edit_only_its_pairs_are_made_anew() -> None:
    robot = open_robot(sample_urdf()).robot
    model = build_sphere_model(robot)
    analysis = analyse(model, AnalysisSettings(256, 0, 0.0, search_starts=0))
    evidence = KeptEvidence()
    first = evidence.pairs(analysis)
    assert first == tuple(analysis)
    assert evidence.pairs(analysis) is first

    ref = model.refs[int(model.starts[model.index["hand_link"]])]
    group = robot.xrdf.group(ref.group)
    assert group is not None
    sphere = group.spheres[ref.frame][ref.index]
    edited = SetSpheres(((ref, replace(sphere, radius=sphere.radius * 1.5)),)).apply(robot)
    after = carry_over(analysis, build_sphere_model(edited))
    second = evidence.pairs(after)
    assert second == tuple(after)
    kept = [old is new for old, new in zip(first, second, strict=True)]
    assert 0 < sum(kept) < len(kept)
    assert all(
        "hand_link" in (e.pair.first, e.pair.second)
        for e, same in zip(second, kept, strict=True)
        if not same
    )
    assert evidence.get(after, second[0].pair) is second[0]

    # A witness that is another one, and other limits, are noticed, too.
    moved = after.witness.copy()
    moved[0] = moved[0] + 0.25
    assert evidence.pairs(replace(after, witness=moved)) == tuple(replace(after, witness=moved))
    other = carry_over(
        after, build_sphere_model(edited, ModelOptions(Limits.HARD, margin=np.radians(5.0)))
    )
    assert evidence.pairs(other) == tuple(other)
    assert evidence.pairs(None) == ()
    assert evidence.get(None, second[0].pair) is None
