"""The rules that need meshes or sampling, as a job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editor_app.model.findings import Finding
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import Profile, RobotDescription
from editor_app.tasks.job import Report


@dataclass(frozen=True)
class SlowChecks:
    """Gives a tuple of Finding without places in the text: these depend on the text at the time of looking."""

    robot: RobotDescription
    profile: Profile
    urdf_path: Path | None
    mappings: FrozenDict[str, Path] = FrozenDict()

    def __call__(self, report: Report) -> tuple[Finding, ...]:
        from editor_app.checks.context import CheckContext
        from editor_app.checks.runner import load_rules

        context = CheckContext(self.robot, None, self.profile, True, self.urdf_path, self.mappings)
        rules = [rule for rule in load_rules().values() if rule.slow]
        found: list[Finding] = []
        for number, rule in enumerate(rules):
            report.progress(number / len(rules), rule.title)
            found.extend(rule.function(context))
        return tuple(found)
