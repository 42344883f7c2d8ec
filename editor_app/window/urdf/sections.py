"""The sections of the URDF, of what is selected, in their order."""

from __future__ import annotations

from functools import partial

from editor_app.core.formats.urdf.sensors import list_sensors
from editor_app.window.jobs import Jobs
from editor_app.window.mesh_store import WindowMeshes
from editor_app.window.urdf.joint import JointPanel
from editor_app.window.urdf.link import InertialPanel, LinkPanel, RobotPanel
from editor_app.window.urdf.overlay import InertiaOverlay
from editor_app.window.urdf.sensors import SensorsPanel
from editor_app.window.urdf.shapes import ShapesPanel
from editor_app.window.urdf.texts import TextsPanel
from editor_app.window.xrdf.section_stack import PanelSpec


def urdf_section_specs(
    jobs: Jobs | None, meshes: WindowMeshes | None, overlay: InertiaOverlay | None
) -> list[PanelSpec]:
    """The sections, for a SectionStack."""
    inertial = partial(InertialPanel, meshes=meshes, overlay=overlay)
    return [
        PanelSpec("urdf.link", "Link", "cube", LinkPanel),
        PanelSpec(
            "urdf.inertial",
            "Inertial",
            "scales",
            inertial,
            words="mass inertia weight centre gravity com",
        ),
        PanelSpec(
            "urdf.shapes",
            "Visuals and collisions",
            "polygon",
            partial(ShapesPanel, jobs=jobs),
            words="mesh box cylinder sphere capsule material colour geometry",
        ),
        PanelSpec(
            "urdf.joint",
            "Joint and limits",
            "arrows-clockwise",
            JointPanel,
            words=(
                "velocity effort torque lower upper mimic damping friction safety calibration "
                "origin axis"
            ),
        ),
        PanelSpec("urdf.robot", "Robot and its bodies", "robot", partial(RobotPanel, jobs=jobs)),
        PanelSpec(
            "urdf.sensors",
            "Sensors",
            "broadcast",
            SensorsPanel,
            lambda r: str(len(list_sensors(r.urdf))),
        ),
        PanelSpec("urdf.texts", "Transmissions and extensions", "code", TextsPanel),
    ]
