"""Whatever is broken in a URDF: where urdfdom refuses it we have an error, where it drops or
complains a finding."""

from __future__ import annotations

import copy
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterator
from pathlib import Path

import pytest
from lxml import etree

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.rules.urdf.structure import urdf_findings
from tests.helpers.breadth import DEEP, of_each_kind
from tests.helpers.urdfdom import libraries_of, newest

#: Every element and attribute of URDF. ROTATION, CAPSULE and RATES are what the versions have more
#: or less.
WHOLE = """<robot name="r" version="VERSION">
<material name="m"><color rgba="1 0 0 1"/><texture filename="t.png"/></material>
<link name="a"><inertial><origin xyz="0 0 0" ROTATION/><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual name="v"><origin xyz="0 0 0" ROTATION/><geometry><box size="1 1 1"/></geometry>
<material name="n"><color rgba="1 0 0 1"/><texture filename="t.png"/></material></visual>
<visual><geometry><mesh filename="x.stl" scale="1 1 1"/></geometry><material name="m"/></visual>
<collision name="c"><origin xyz="0 0 0" ROTATION/><geometry><cylinder radius="1" length="1"/></geometry></collision>
CAPSULE<collision><geometry><sphere radius="1"/></geometry></collision></link>
<link name="b"/><link name="c"/>
<joint name="j" type="revolute"><origin xyz="0 0 0" ROTATION/><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<calibration reference_position="0" rising="0" falling="0"/><dynamics damping="0" friction="0"/>
<limit lower="-1" upper="1" effort="1" velocity="1" RATES/>
<safety_controller k_velocity="1" k_position="1" soft_lower_limit="-1" soft_upper_limit="1"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/>
<limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="j" multiplier="1" offset="0"/></joint>
<transmission name="t"><type>x</type><joint name="j"><hardwareInterface>p</hardwareInterface></joint>
<actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator></transmission>
<gazebo reference="a"><mu1>1</mu1></gazebo>
</robot>"""
CAPSULE = '<collision><geometry><capsule radius="1" length="1"/></geometry></collision>'
RATES = 'acceleration="1" deceleration="1" jerk="1"'
#: None: without the attribute.
VALUES = (None, "", "x", "-1", "0", "1 2", "nan", "inf", "1 ")
VECTORS = (None, "", "x 0 0", "-1 -1 -1", "0 0 0", "0 0 0 0", "1 2", "nan 0 0", "1 0\t0")
DROPPED = re.compile(r"Could not parse (visual|collision|inertial) element")
CODES = {"visual": "URDF030", "collision": "URDF031", "inertial": "URDF032"}

Program = Callable[[str], tuple[int, str]]


def whole(version: str) -> str:
    text = WHOLE.replace("VERSION", version)
    text = text.replace("ROTATION", 'rpy="0 0 0"' if version == "1.0" else 'quat_xyzw="0 0 0 1"')
    text = text.replace("CAPSULE", "" if version == "1.0" else CAPSULE)
    return text.replace("RATES", RATES if version == "1.2" else "")


def _empty(element: etree._Element) -> None:
    element.attrib.clear()
    del element[:]


def mutations(text: str, tags: Container[str] | None = None) -> Iterator[tuple[str, str]]:
    """(what was done, the text): one attribute or element removed, doubled, misspelt, emptied, or
    another value.

    Of elements that have one of these tags, None for all; of those that stand at like places, the
    first.
    """
    seen = set()
    for number, element in enumerate(etree.fromstring(text).iter()):
        if tags is not None and element.tag not in tags:
            continue
        where = "/".join([*reversed([a.tag for a in element.iterancestors()]), element.tag])
        if where in seen and element.tag not in ("link", "joint"):
            continue
        seen.add(where)

        def changed(change: Callable[[etree._Element], object], number: int = number) -> str:
            root = etree.fromstring(text)
            change(list(root.iter())[number])
            return etree.tostring(root, encoding="unicode")

        for name in element.attrib:
            for value in VECTORS if " " in element.attrib[name] else VALUES:
                if value is None:
                    yield f"{where} without {name!s}", changed(lambda e: e.attrib.pop(name))  # noqa: B023
                else:
                    yield f"{where} {name!s}={value!r}", changed(lambda e: e.set(name, value))  # noqa: B023
        if number:
            yield f"{where} removed", changed(lambda e: e.getparent().remove(e))  # type: ignore[union-attr]
            yield f"{where} twice", changed(lambda e: e.addnext(copy.deepcopy(e)))
            yield f"{where} misspelt", changed(lambda e: setattr(e, "tag", f"{e.tag}x"))
            yield f"{where} emptied", changed(_empty)


def ours(text: str) -> Counter[str]:
    """Codes with their severity, E, W or I, without what is said for another reader than
    urdfdom."""
    try:
        findings = urdf_findings(read_urdf(SourceText.from_text(text)))
        return Counter(f"{f.code} {f.severity.name[0]}" for f in findings if f.code != "URDF048")
    except FormatError:
        return Counter({"unreadable E": 1})


def program(path: Path, folder: Path) -> Program:
    file = folder / "robot.urdf"

    def run(text: str) -> tuple[int, str]:
        file.write_text(text)
        try:
            done = subprocess.run(
                [path, file],
                capture_output=True,
                text=True,
                timeout=1,
                check=False,
                env=libraries_of(path),
            )
        except subprocess.TimeoutExpired:
            # It prints the tree of a loop for ever.
            return 1, ""
        return done.returncode, done.stdout + done.stderr

    return run


def disagreements(text: str, check: Program, tags: Container[str] | None = None) -> list[str]:
    disputes, before = [], ours(text)
    for mutation, broken in mutations(text, tags):
        mine = ours(broken) - before
        code, said = check(broken)
        if code and not any(name.endswith("E") for name in mine):
            disputes.append(f"{mutation}: refused, and we have no error but {dict(mine)}")
        elif re.search(r"^(Error|Warning):", said, re.MULTILINE) and not mine:
            disputes.append(f"{mutation}: complained about, and we are silent")
        dropped = {CODES[kind] for kind in DROPPED.findall(said)} if not code else set()
        told = {name.split()[0] for name in mine} & set(CODES.values()) if not code else set()
        if dropped != told:
            disputes.append(
                f"{mutation}: {dropped or 'nothing'} is dropped, and we say {told or 'nothing'}"
            )
    return disputes


@pytest.mark.skipif(sys.platform != "linux", reason="cmeel-urdfdom has wheels for Linux only")
@pytest.mark.parametrize("version", of_each_kind(("1.0", "1.1", "1.2"), ("1.0", "1.2")))
def test_the_newest_urdfdom_finds_nothing_that_we_do_not(version: str, tmp_path: Path) -> None:
    path = newest()
    assert path is not None, "cmeel-urdfdom, a test dependency, is not installed"
    check, text = program(path, tmp_path), whole(version)
    assert check(text)[0] == 0
    assert not ours(text)
    # Of the older ones what they have less, and take in another way; and all of it where a run is
    # deep.
    tags = None if version == "1.2" or DEEP else ("robot", "origin", "limit", "safety_controller")
    assert disagreements(text, check, tags) == []


@pytest.mark.skipif(
    shutil.which("check_urdf", path=os.defpath) is None, reason="no check_urdf of the system"
)
def test_the_urdfdom_of_the_system_finds_nothing_that_we_do_not(tmp_path: Path) -> None:
    path = shutil.which("check_urdf", path=os.defpath)
    assert path is not None
    check, text = program(Path(path), tmp_path), whole("1.0")
    assert check(text)[0] == 0
    assert (
        disagreements(
            text, check, ("joint", "limit", "calibration", "mimic", "box", "mass", "color")
        )
        == []
    )


def test_the_robot_that_is_broken_has_every_attribute_that_is_read() -> None:
    urdf = read_urdf(SourceText.from_text(whole("1.2"))).value
    joint = urdf.joints[0]
    parts = (joint.limit, joint.dynamics, joint.safety, joint.calibration, urdf.joints[1].mimic)
    for part in parts:
        assert part is not None
        assert None not in [getattr(part, name) for name in type(part).__dataclass_fields__]
    assert joint.origin.quat_xyzw is not None
