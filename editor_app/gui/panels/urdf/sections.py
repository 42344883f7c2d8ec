"""The sections of the URDF, of what is selected, in their order."""

from __future__ import annotations

from editor_app.formats.urdf.sensors import sensors_of
from editor_app.gui.mesh_store import MeshStore
from editor_app.gui.panels.urdf.inertial import InertialPanel
from editor_app.gui.panels.urdf.joint import JointPanel
from editor_app.gui.panels.urdf.link import LinkPanel
from editor_app.gui.panels.urdf.overlay import InertiaOverlay
from editor_app.gui.panels.urdf.robot import RobotPanel
from editor_app.gui.panels.urdf.sensors import SensorsPanel
from editor_app.gui.panels.urdf.shapes import ShapesPanel
from editor_app.gui.panels.urdf.texts import TextsPanel
from editor_app.gui.panels.xrdf.section_stack import PanelSpec
from editor_app.gui.session import Session
from editor_app.model.robot import RobotDescription


def specs(session: Session, meshes: MeshStore | None, overlay: InertiaOverlay | None) -> list[PanelSpec]:
    """The sections, for a SectionStack."""

    def sensors(robot: RobotDescription) -> str:
        return str(len(sensors_of(robot.urdf)))

    return [
        PanelSpec("urdf.link", "Link", "cube", lambda: LinkPanel(session)),
        PanelSpec("urdf.inertial", "Inertial", "scales", lambda: InertialPanel(session, meshes, overlay)),
        PanelSpec("urdf.shapes", "Visuals and collisions", "polygon", lambda: ShapesPanel(session)),
        PanelSpec("urdf.joint", "Joint", "arrows-clockwise", lambda: JointPanel(session)),
        PanelSpec("urdf.robot", "Robot and its bodies", "robot", lambda: RobotPanel(session)),
        PanelSpec("urdf.sensors", "Sensors", "broadcast", lambda: SensorsPanel(session), sensors),
        PanelSpec("urdf.texts", "Transmissions and extensions", "code", lambda: TextsPanel(session)),
    ]
