"""Spheres of a fit get their entries from the base to the tools, in whichever order the fits are
handed over."""

from __future__ import annotations

from editor_app.core.document.commands.fitted_spheres import SetFittedSpheres
from editor_app.core.drafting.bodies import link_order
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.resources import sample_robot
from editor_app.core.verbs.open import open_robot


def test_new_entries_stand_from_base_to_tip_and_present_ones_stay() -> None:
    document = open_robot(sample_robot())
    links = link_order(document.robot.urdf)
    ball: tuple[CollisionSphere, ...] = (CollisionSphere((0.0, 0.0, 0.0), 0.1),)
    backwards = FrozenDict(dict.fromkeys(reversed(links), ball))
    document.execute(SetFittedSpheres("fresh", backwards, "Fit", world_buffer=0.01))
    group = document.robot.xrdf.group("fresh")
    assert group is not None
    assert tuple(group.spheres) == links
    text = document.xrdf_text[document.xrdf_text.index("fresh:") :]
    assert [text.index(f" {link}:") for link in links] == sorted(
        text.index(f" {link}:") for link in links
    )
    # What has an entry keeps its place.
    document.execute(SetFittedSpheres("fresh", FrozenDict({links[3]: ball * 2}), "Fit"))
    changed = document.robot.xrdf.group("fresh")
    assert changed is not None
    assert tuple(changed.spheres) == links
