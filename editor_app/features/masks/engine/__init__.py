"""Self-collision: distances of all pairs, sampling, proofs, classes with their evidence, and
proposals of masks.

    model = build_sphere_model(robot)
    live = LiveDistances(model, pose)         # all pairs at one pose, then live.set_pose(...)
    analysis = analyse(model)                 # classes with evidence
    analysis.explain(pair)                    # why

Modules load nothing heavy when they are imported; kernels load with their first use
(`warmup.warm_up`).
"""

from editor_app.core.late import late_modules

late_modules(__name__)
