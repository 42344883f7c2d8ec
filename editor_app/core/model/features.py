"""Selectable things of a robot besides links and joints: sensors, groups, tools, end effectors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FeatureKind(StrEnum):
    SENSOR = "sensor"
    GROUP = "group"
    TCP = "tool centre point"
    END_EFFECTOR = "end effector"


@dataclass(frozen=True, slots=True)
class RobotFeature:
    """`group` is the group of a tool centre point, and "" for the others; `number` tells features
    of one name apart."""

    kind: FeatureKind
    name: str
    group: str = ""
    number: int = 0
