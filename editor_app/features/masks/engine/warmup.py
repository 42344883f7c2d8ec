"""Compiling the kernels ahead of time, so that the first use after installing can be announced."""

from __future__ import annotations

from editor_app.core.late import load_late
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Urdf
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection, Xrdf
from editor_app.core.progress import Progress, silent
from editor_app.features.masks.engine import jit, kernels_chain, kernels_live, kernels_sampling
from editor_app.features.masks.engine.certificate import BoxSearch
from editor_app.features.masks.engine.chains import build_chain, descend_chain, spread_starts
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.sampling import Sampler

#: Said before the first use.
ANNOUNCEMENT = (
    "Compiling the distance code for this machine; this happens once and takes up to a minute."
)


def needs_compilation() -> bool:
    """Return whether a kernel is neither in memory nor in the cache on disk. Imports numba (half a
    second)."""
    for module in (kernels_chain, kernels_live, kernels_sampling):
        load_late(module)
    return not all(jit.is_compiled(name) for name in jit.KERNELS)


def warm_up(on_progress: Progress = silent) -> None:
    """Loads every kernel, compiling what is missing, on a robot of three links."""

    def say(fraction: float, sentence: str) -> None:
        on_progress(fraction, f"{ANNOUNCEMENT} {sentence}" if cold else sentence)

    cold = needs_compilation()
    model = build_sphere_model(small_robot())
    say(0.0, "Distances at one pose")
    LiveDistances(model).contacts([0], 1.0)
    say(0.25, "Sampling")
    sampler = Sampler(model, 256)
    sampler.run()
    sampler.clearances(1, 256)
    say(0.6, "Local search")
    chain = build_chain(model, 1)
    assert chain is not None
    descend_chain(chain, spread_starts(chain, 1, 0)[0])
    say(0.8, "Proofs")
    BoxSearch(chain).step(1000)
    say(1.0, "Ready")


def small_robot() -> RobotDescription:
    """Three links with a sphere each, joined by two joints."""
    links = tuple(Link(name) for name in ("a", "b", "c"))
    joints = tuple(
        Joint(
            f"j{k}",
            JointType.REVOLUTE,
            p,
            c,
            Origin((0.3, 0.0, 0.0)),
            (0.0, 0.0, 1.0),
            Limit(-2.0, 2.0),
        )
        for k, (p, c) in enumerate((("a", "b"), ("b", "c")))
    )
    ball: tuple[CollisionSphere, ...] = (CollisionSphere((0.1, 0.0, 0.0), 0.05),)
    spheres = FrozenDict(dict.fromkeys(("a", "b", "c"), ball))
    xrdf = Xrdf(
        self_collision=SelfCollisionSection(geometry="spheres"),
        geometry=(GeometryGroup("spheres", spheres),),
    )
    return RobotDescription(Urdf("warm-up", links=links, joints=joints), xrdf)
