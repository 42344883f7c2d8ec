"""COLLADA files that have a visual scene and no kinematics: each tree of nodes is a rigid link."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.model.urdf import JointType, Urdf
from editor_app.core.text.source import FormatError
from editor_app.plugins.collada.read import read_collada_robot
from tests.helpers.collada_robot import geometry, info
from tests.helpers.robots import report_of, text_of, urdf_of
from tests.helpers.urdfdom import assert_urdfdom_takes

BALL = (
    geometry("ball", info("<sphere><radius>0.2</radius></sphere>"))
    .replace("<mesh>", "<gone>")
    .replace("</mesh>", "</gone>")
)
BODY = """<library_physics_models><physics_model id="pm"><rigid_body sid="r0" name="table"><technique_common>
<dynamic>true</dynamic><mass>3</mass><inertia>1 2 3</inertia></technique_common></rigid_body></physics_model>
</library_physics_models>"""


def read(nodes: str, folder: Path, more: str = "", up: str = "Z_UP") -> tuple[RobotFiles, Urdf]:
    path = folder / "things.dae"
    path.write_text(
        f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01"/><up_axis>{up}</up_axis></asset>
<library_geometries>{BALL}{geometry("thing")}</library_geometries>
<library_visual_scenes><visual_scene id="vs" name="things">{nodes}</visual_scene></library_visual_scenes>{more}
<scene><instance_visual_scene url="#vs"/></scene></COLLADA>""",
        encoding="utf-8",
    )
    collada = read_collada_robot(path)
    (folder / "things.urdf").write_text(text_of(collada.urdf), encoding="utf-8")
    assert_urdfdom_takes(folder / "things.urdf")
    return collada, urdf_of(collada)


NODE = """<node id="{0}" name="{0}"><translate>{1}</translate><instance_geometry url="#ball"/>
<node name="inner"><translate>0 0 50</translate><instance_geometry url="#thing"/></node></node>"""


def test_one_tree_is_one_link_that_weighs_what_physics_says(tmp_path: Path) -> None:
    collada, urdf = read(NODE.format("table", "100 0 0"), tmp_path, BODY)
    (link,) = urdf.links
    assert (urdf.name, link.name, urdf.joints) == ("things", "table", ())
    assert [v.origin.xyz for v in link.visuals] == [(1, 0, 0), (1, 0, 0.5)]
    assert len(link.collisions) == 2
    assert link.inertial is not None
    assert link.inertial.mass == 3
    assert "1 rigid link" in "\n".join(report_of(collada).lines())


def test_several_trees_are_fixed_to_the_world_where_they_stand(tmp_path: Path) -> None:
    light = '<node name="lamp"><instance_light url="#x"/></node>'
    both = NODE.format("table", "100 0 0") + light + NODE.format("chair", "0 200 0")
    _, urdf = read(both, tmp_path)
    assert [link.name for link in urdf.links] == ["world", "table", "chair"]
    joints = [(j.type, j.parent, j.child, j.origin.xyz) for j in urdf.joints]
    assert joints == [
        (JointType.FIXED, "world", "table", (1, 0, 0)),
        (JointType.FIXED, "world", "chair", (0, 2, 0)),
    ]
    visuals = [v.origin.xyz for v in urdf.links[2].visuals]
    assert visuals == [(0, 0, 0), (0, 0, 0.5)]


def test_it_stands_upright(tmp_path: Path) -> None:
    _, urdf = read(NODE.format("table", "0 100 0"), tmp_path, up="Y_UP")
    assert np.allclose(urdf.links[0].visuals[0].origin.xyz, (0, 0, 1))


def test_a_file_that_shows_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no visual_scene with content"):
        read('<node name="empty"/>', tmp_path)
