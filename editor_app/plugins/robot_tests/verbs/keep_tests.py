"""Tests by use: the configuration that is shown, or the motion that was planned, becomes a test in the test file.

Also the robot of a window as texts, since no document can be sent to a worker process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import free_name
from editor_app.core.model.pose import Pose
from editor_app.core.space.kinematics.tree import tree_of
from editor_app.core.tasks.job import Report
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import AppendItem, edit_text
from editor_app.core.text.yaml.plan import Flow, FlowMap
from editor_app.plugins.motion.verbs.collide import collide
from editor_app.plugins.robot_tests.kinds import FORMAT
from editor_app.plugins.robot_tests.suite import read_suite
from editor_app.plugins.robot_tests.verbs.propose_suite import propose_tests
from editor_app.plugins.robot_tests.verbs.run_tests import TestReport, test_robot
from editor_app.plugins.robot_tests.verbs.update_suite import written_value

_EMPTY = f"format: {FORMAT}\nformat_version: 1\ntests:\n"
#: Decimals of joint positions: microradians, micrometres.
_DECIMALS = 6


@dataclass(frozen=True)
class RobotTexts:
    """A robot as the texts that would be saved now; it can be sent to a worker process."""

    urdf: SourceText
    xrdf: SourceText
    srdf: SourceText | None
    packages: FrozenDict[str, Path] = FrozenDict()

    @classmethod
    def of(cls, document: Document) -> RobotTexts:
        """Raises FormatError for a robot that cannot be written."""
        srdf = document.srdf_now
        return cls(
            document.urdf_now.source,
            document.xrdf_now.source,
            None if srdf is None else srdf.source,
            FrozenDict(document.packages),
        )

    def document(self) -> Document:
        """Return the robot as a document."""
        srdf = None if self.srdf is None else read_srdf(self.srdf)
        document = Document(read_urdf(self.urdf), read_xrdf(self.xrdf), srdf)
        document.packages = self.packages
        return document


def judge_file(report: Report, texts: RobotTexts, path: Path) -> TestReport:
    """A job: the tests of a file, judged for a robot."""
    return test_robot(texts.document(), path, progress=report.progress)


def propose_text(report: Report, texts: RobotTexts) -> str:
    """A job: the text of a first test file."""
    return propose_tests(texts.document(), progress=report.progress).text


def configuration_test(report: Report, texts: RobotTexts, pose: Pose) -> dict[str, Any]:
    """A job: the test that a configuration is free, with its clearance, or that its deepest pair collides."""
    document = texts.document()
    tree = tree_of(document.robot)
    moment = collide(document, pose).moment(0)
    if moment.beyond_limits:
        raise Refused(f"joint {moment.beyond_limits[0].joint} is outside its limits: such a configuration is no test")
    at = FlowMap({name: round(pose[name], _DECIMALS) for name in tree.independent})
    if moment.free:
        clearance = {} if moment.clearance is None else {"clearance": written_value("clearance", moment.clearance)}
        return {"name": "Configuration is free", "free": {"at": at, **clearance}}
    touches = [touch for touch in moment.touches if not touch.masked and not touch.missed]
    if not touches:
        raise Refused("meshes touch although nothing checks their pair: correct the mask first")
    deepest = max(touches, key=lambda touch: touch.depth or 0.0)
    pair, depth = Flow((deepest.first, deepest.second)), written_value("depth", deepest.depth or 0.0)
    name = f"{deepest.first} collides with {deepest.second}"
    return {"name": name, "collides": {"at": at, "pair": pair, "depth": depth}}


def motion_test(start: Pose, goal: Pose) -> dict[str, Any]:
    """Return the test that a motion between two configurations is planned."""
    ends = {
        key: FlowMap({name: round(value, _DECIMALS) for name, value in pose.items()})
        for key, pose in (("start", start), ("goal", goal))
    }
    return {"name": "Motion is planned", "plan": ends}


def add_test(source: SourceText | None, test: Mapping[str, Any], document: Document) -> SourceText:
    """Return the test file with one more test, which gets a name that no other test has; every other byte stays.

    Raises Refused for a file with a fault, FormatError for one that cannot be read.
    """
    source = source or SourceText.from_text(_EMPTY)
    suite = read_suite(source, document.robot)
    if suite.findings:
        raise Refused(f"{suite.findings[0].location}: {suite.findings[0].message}")
    item = {**test, "name": free_name(test["name"], {each.name for each in suite.tests})}
    return edit_text(source, [AppendItem(("tests",), item)])
