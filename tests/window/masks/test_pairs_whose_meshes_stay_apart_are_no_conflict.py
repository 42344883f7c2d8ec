"""A pair that a mask ignores because only its spheres collide is no conflict, also after its
spheres changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editor_app.core.document.commands import SetSpheres
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from tests.helpers.windows import open_window, wait_until
from tests.masks.test_only_costly_pairs_that_never_touch_are_ignored import robot

PAIR = LinkPair.of("base", "arm")
LONG = 60


def test_a_signed_mask_raises_no_alarm(qapp: Any, tmp_path: Path) -> None:
    document = robot(tmp_path, 0.125, 0.0)
    assert document.xrdf_path is not None
    text = document.xrdf_text.replace(
        "{geometry: g}\ngeometry",
        "{geometry: g, ignore: {base: [arm, turret], turret: [arm]}}\ngeometry",
    )
    assert text != document.xrdf_text
    document.xrdf_path.write_text(text)
    with open_window(tmp_path, tmp_path / "r.urdf") as window:
        controller = window.self_collision.controller
        assert PAIR in controller.state.ignored
        controller.compute()
        wait_until(
            lambda: controller.state.analysis is not None and not controller.state.is_analysing,
            LONG,
        )
        evidence = controller.state.evidence(PAIR)
        assert evidence is not None
        wait_until(lambda: controller.state.look is not None, LONG)
        assert PAIR in controller.state.seen_apart
        assert evidence.pair not in {each.pair for each in controller.state.conflicts}
        # Other spheres, the same meshes: what was seen of these holds.
        ref = SphereRef("g", "arm", 0)
        window.session.execute(SetSpheres(((ref, CollisionSphere((0.12, 0.0, 0.0), 0.06)),)))
        wait_until(
            lambda: (
                controller.state.analysis is not None and not controller.state.analysis.stale.any()
            ),
            LONG,
        )
        wait_until(lambda: not controller.state.is_analysing)
        assert controller.state.look is None
        assert controller.state.conflicts == ()
