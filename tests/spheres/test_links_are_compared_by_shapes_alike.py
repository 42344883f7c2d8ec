"""Where a maker's rough shapes stand for hardly any link, no rough shape counts that lies beyond
its link; and a fit is judged by the shapes that it was asked to fit to, which the cost names."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
import trimesh

import editor_app
from editor_app.__main__ import main
from editor_app.features.draft.verbs.new import NewSettings
from editor_app.features.masks.engine.meshes import find_partial_robot_links
from editor_app.features.spheres.verbs.fit import fit, list_seen_links

#: A bar of 40 cm; the rough box of a link is a part of it, or much larger than the short bar of the
#: wrist.
LINK = """<link name="{name}">
<visual><origin xyz="0 0 {half}"/><geometry><mesh filename="{mesh}.stl"/></geometry></visual>
<collision><origin xyz="0 0 {middle}"/><geometry><box size="{size}"/></geometry></collision></link>
"""
JOINT = """<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="0.06 0 {up}"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
"""
PART, WHOLE, HUGE = ("0.04 0.04 0.1", 0.05), ("0.05 0.05 0.42", 0.2), ("0.2 0.2 0.3", 0.1)


def _robot(folder: Path, *lower: tuple[str, float]) -> Path:
    for name, length in (("bar", 0.4), ("short", 0.1)):
        trimesh.creation.box((0.04, 0.04, length)).export(folder / f"{name}.stl")
    names = [f"link{k}" for k in range(len(lower))]
    links = [
        LINK.format(name=name, half=0.2, mesh="bar", size=size, middle=middle)
        for name, (size, middle) in zip(names, lower, strict=True)
    ]
    links.append(LINK.format(name="wrist", half=0.05, mesh="short", size=HUGE[0], middle=HUGE[1]))
    chain = [*names, "wrist"]
    joints = [JOINT.format(parent=a, child=b, up=0.4) for a, b in pairwise(chain)]
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">\n{"".join(links)}{"".join(joints)}</robot>\n')
    return path


def test_a_rough_shape_beyond_its_link_counts_where_most_stand_for_their_links(
    tmp_path: Path,
) -> None:
    sound = editor_app.open_robot(_robot(tmp_path, WHOLE, WHOLE, PART), new_xrdf=True)
    assert find_partial_robot_links(sound.robot, sound.urdf_path, {}) == {"link2"}


def test_a_robot_of_rough_shapes_is_fitted_and_judged_by_what_is_visible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _robot(tmp_path, PART, PART, PART)
    document = editor_app.open_robot(path, new_xrdf=True)
    every = {"link0", "link1", "link2", "wrist"}
    assert find_partial_robot_links(document.robot, document.urdf_path, {}) == every
    assert find_partial_robot_links(document.robot, document.urdf_path, {}, ["wrist"]) == {
        "wrist"
    }, "as of the whole robot"
    fitted = fit(document, budget=24)
    assert list_seen_links(fitted) == every
    (note,) = (each for each in fitted.notes if each.startswith("wrist"))
    assert "outside the visual geometry" in note
    # What is asked for overrules it, and is what the spheres are judged by.
    asked = {kind: fit(document, budget=24, geometry=kind) for kind in ("collision", "visual")}
    assert not list_seen_links(asked["collision"])
    assert list_seen_links(asked["visual"]) == every
    document.execute(fitted.change)
    seen = editor_app.model_cost(document, samples=2_000)
    rough = editor_app.model_cost(document, samples=2_000, seen=())
    assert seen.seen == every
    assert seen.shapes == "compared with the visual geometry of link0, link1, link2, wrist"
    assert (rough.seen, rough.shapes) == (frozenset(), "")
    # Boxes of 30 cm touch at each joint, always; bars only at some of its positions, and these
    # count.
    assert seen.touching != rough.touching
    settings = NewSettings(
        True, True, geometry="visual", budget=24, samples=2_000, certify=0.0, cost_samples=2_000
    )
    made = editor_app.new(path, settings=settings)
    assert made.cost is not None
    assert made.cost.seen == every
    assert "compared with the visual geometry of link0" in made.document.xrdf_text, (
        "the comment of the buffers"
    )
    xrdf = path.with_suffix(".xrdf")
    xrdf.write_text(made.document.xrdf_text)
    main(["cost", str(path), str(xrdf), "--samples", "500", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["compared_by_sight"] == sorted(every)
    main(
        [
            "cost",
            str(path),
            str(xrdf),
            "--samples",
            "500",
            "--geometry",
            "collision",
            "--format",
            "html",
        ]
    )
    assert "compared with the visual geometry" not in capsys.readouterr().out
