"""Motion: many configurations at once, straight lines in joint space with proofs, obstacles, and a
planner.

    model = build_motion_model(robot, scene)
    model.first_collisions(values)        # yes or no for each of n configurations
    model.line(start, goal)               # a line between two: proven free, or where it touches
    plan(model, start, goal)              # a path, only if it is proven free

Built on the model of `self_collision`; kernels load with their first use.
"""

from editor_app.core.late import late_modules

late_modules(__name__)
