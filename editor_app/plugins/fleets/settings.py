"""Settings of the verb batch. Importing this loads no engine."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.model.coercion import Validated
from editor_app.core.model.options import limited, option
from editor_app.core.model.profile import Profile
from editor_app.features.spheres.engine.settings import Effort, Geometry, Mode

STEPS = ("new", "fit", "mask", "check", "plan", "convert")


@dataclass(frozen=True, slots=True)
class BatchSettings(Validated):
    """The steps for each robot. `steps`: some of STEPS; without `new`, the XRDF next to the URDF is
    used.

    `effort` … `seed`: as of `fit`. `samples`: configurations for the mask, None for the usual
    number. `certify`: CPU seconds for proofs of the mask. `cost_samples`: configurations in which a
    new model is compared with the meshes. `queries`: of the planner; one without a path after some
    seconds counts as unsolved, and what is written does not depend on it. `profile`: what will read
    the files. `formats`: what is converted to.
    """

    steps: tuple[str, ...] = option(
        STEPS,
        "some of new,fit,mask,check,plan,convert (default: all)",
        "A,B,…",
        type=str,
        default=None,
    )
    effort: Effort = option("normal", "effort of fits (default: normal)", default=None)
    mode: Mode = "cover"
    geometry: Geometry = "auto"
    budget: int | None = limited(None, 1)
    padding: float = limited(0.0)
    seed: int = option(
        0, "the same input and seed give the same files (default: 0)", "S", default=None, least=0
    )
    samples: int | None = option(
        None, "sampled configurations for the mask (default: 100000)", "N", least=0
    )
    certify: float = limited(0.0)
    cost_samples: int = limited(300)
    queries: int = option(20, "planner queries per robot (default: 20)", "N", default=None, least=0)
    profile: Profile = option(
        Profile.SPECIFICATION, "the program that will read the files", default=None
    )
    formats: tuple[str, ...] = option(
        ("curobo",), "output format (default: curobo)", "A,B,…", type=str, default=None
    )
