"""While the robot is shown calibrated, the self-collision panel says whose joint origins the mask
has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from tests.helpers.windows import open_in, open_window


def test_the_panel_says_it_as_long_as_it_is_so(
    qapp: Any, tmp_path: Path, sample_urdf: Path
) -> None:
    with open_window(tmp_path) as window:
        open_in(window, sample_urdf)
        panel: Any = window.docks.show("self-collision")
        session = window.session
        assert not panel.calibrated.isVisible()
        session.set_calibration(
            FrozenDict({session.robot.urdf.joints[0].name: Origin((0.0, 0.0, 0.9))})
        )
        assert panel.calibrated.isVisible()
        assert "origins of the URDF" in panel.calibrated.text()
        session.set_calibration(None)
        assert not panel.calibrated.isVisible()
