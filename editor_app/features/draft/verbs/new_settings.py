"""Settings of the verb new. Importing this loads no engine."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.model.coercion import Validated
from editor_app.core.model.model_cost import COST_SAMPLES
from editor_app.core.model.options import option
from editor_app.core.model.profile import Profile
from editor_app.features.spheres.engine.settings import USUAL_GEOMETRY, Geometry
from editor_app.features.spheres.verbs.fit_choices import USUAL_CHOICES, FitChoices


@dataclass(frozen=True, slots=True)
class NewSettings(Validated):
    """Settings of the steps after the draft of a new XRDF.

    `fit`: spheres for every link (`geometry`, `budget`, `choices` as of the verb fit). `mask`:
    pairs that cannot or always collide are ignored (`samples`, `certify`, `reasons` as of the verb
    mask), and the default position leaves self-collision. With both, the model is compared with the
    meshes in `cost_samples` configurations (0: not at all), and, from 5,000 on, made for planning:
    spheres are spent where they refuse configurations that the meshes leave free
    (`fit_for_planning`), and self-collision buffers make them decide as the meshes do
    (`self_buffers`). With fewer, buffers come from 5,000 all the same. The seed of `choices` counts
    for all. `profile`: what will read the file; its findings are told. `trust_srdf`: pairs that the
    SRDF ignores are ignored, even where their meshes touch.
    """

    fit: bool = option(False, "fit spheres to every link")
    mask: bool = option(False, "find a free default position and the pairs to ignore")
    geometry: Geometry = USUAL_GEOMETRY
    budget: int | None = option(
        None, "total number of spheres (default: depends on the number of links)", "TOTAL", least=1
    )
    choices: FitChoices = USUAL_CHOICES
    samples: int | None = option(
        None, "number of sampled configurations (default: 100000)", "N", least=0
    )
    certify: float = option(
        10.0,
        "CPU time for proofs (default: 10)",
        "SECONDS",
        least=0.0,
        wanted="a number of seconds, 0 or more",
    )
    reasons: bool = option(
        True, "write the reason of each ignored pair as a comment (default: yes)"
    )
    cost_samples: int = option(
        COST_SAMPLES,
        "with --fit --mask: number of configurations to compare with the meshes, to report false "
        "and missed "
        "collisions; 0 skips this (default: 20000)",
        "N",
        default=None,
        least=0,
    )
    profile: Profile = option(Profile.SPECIFICATION, "the program that will read the XRDF")
    trust_srdf: bool = option(
        False,
        "ignore the pairs that the SRDF ignores, even if their meshes touch (default: check those)",
    )


#: The draft alone.
DRAFT = NewSettings()
#: What *first file* means, in window and command line.
WHOLE = NewSettings(fit=True, mask=True)
