"""A robot in which every name and text is hostile or merely odd: texts of its URDF, XRDF and
SRDF."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from editor_app.core.model.printable import printable_json

#: Names that some format takes for syntax, code, a number, a truth value or a path.
ODD = (
    "j'0", 'say "x"', "a\nb", "a: b", "#c", "- d", "true", "Null", "~", "1e3", "0x1F", "2026-11-28", "12:30:45",
    "=cmd|' /C calc'!A0", "@SUM(1)", "</script><script>alert(1)</script>", "<b>&amp;", "]]>", "-- x -->", "@@@",
    "a/b", "../../up", "C:\\x", "%20", "\\n", "{a}", "[a, b]", "*a", "&a", "!!python/object:os.system", "a, b", "|",
    "__import__('os')", "\u6a5f\u5668\u4eba", "\u00e9t\u00e9", "\U0001f916", "\u2028x", "\u202egnp", " lead",
    "tab\there", "a_b", "a-b", "a b",
    "planning_sphere_0", "world", "x" * 200,
)  # fmt: skip
#: Expressions of xacro, which our reader takes in no link, joint or material of a URDF.
EXPRESSIONS = (
    "${1/0}",
    "$(eval 1/0)",
    "$${x}",
    "$$$(arg y)",
    "${__import__('os').system('touch PWNED')}",
    "a ${1 + 1} $(find x)",
)


@dataclass(frozen=True)
class OddRobot:
    """`links` and `joints` in the order of the chain; `others`: texts of groups, states, frames and
    extensions."""

    links: tuple[str, ...]
    joints: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def frame(self) -> str:
        return f"frame {self.others[0]}"

    @property
    def name(self) -> str:
        return self.others[1 % len(self.others)]

    @property
    def group(self) -> str:
        return self.others[2 % len(self.others)]

    @property
    def extension(self) -> str:
        """What an attribute, and the text of an element, hold in `<gazebo>`."""
        return " ".join(self.others)

    @property
    def comment(self) -> str:
        """The same as a comment of XML, which has no two dashes."""
        return f"<!-- {self.extension.replace('--', '')} -->"

    @property
    def urdf(self) -> str:
        limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
        mesh = (
            "<visual><geometry><mesh "
            f"filename={quoteattr(self.links[0] + '.stl')}/></geometry></visual>"
        )
        shape = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
        parts = [f"<link name={quoteattr(self.links[0])}>{mesh}{shape}</link>"]
        for joint, parent, child in zip(self.joints, self.links, self.links[1:], strict=False):
            parts.append(f'<link name={quoteattr(child)}><inertial><mass value="1"/>'
                         '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
                         '<visual><geometry><box size="1 1 1"/></geometry><material '
                         f'name={quoteattr(child)}>'
                         f'<color rgba="1 0 0 1"/></material></visual>{shape}</link>'
                         f'<joint name={quoteattr(joint)} type="revolute"><parent '
                         f'link={quoteattr(parent)}/>'
                         f'<child link={quoteattr(child)}/><origin xyz="0 0 0.3"/><axis xyz="0 1 '
                         f'0"/>{limit}'
                         '</joint>')  # fmt: skip
        gazebo = f"<gazebo><x v={quoteattr(self.extension)}>{escape(self.extension)}</x></gazebo>"
        return (
            "<robot "
            f"name={quoteattr(self.name)}>\n{self.comment}\n{''.join(parts)}\n{gazebo}\n</robot>\n"
        )

    @property
    def xrdf(self) -> str:
        pose = {"position": [0.0, 0.0, 0.1], "orientation": {"w": 1.0, "xyz": [0.0, 0.0, 0.0]}}
        frame = {
            "frame_name": self.frame,
            "parent_frame_name": self.links[-1],
            "joint_name": f"{self.frame} joint",
        }
        spheres = {
            link: [{"center": [0.0, 0.0, 0.1], "radius": 0.05}]
            for link in (*self.links, self.frame)
        }
        ignore = {a: [b] for a, b in zip(self.links, self.links[1:], strict=False)}
        value = {
            "format": "xrdf",
            "format_version": "1.0",
            "modifiers": [{"add_frame": {**frame, "joint_type": "FIXED", "fixed_transform": pose}}],
            "default_joint_positions": dict.fromkeys(self.joints, 0.25),
            "cspace": {
                "joint_names": list(self.joints),
                "acceleration_limits": [2.0] * len(self.joints),
                "jerk_limits": [20.0] * len(self.joints),
            },
            "tool_frames": [self.frame],
            "collision": {"geometry": self.group},
            "self_collision": {"geometry": self.group, "ignore": ignore},
            "geometry": {self.group: {"spheres": spheres}},
        }
        # JSON, which is YAML of both versions.
        return printable_json(json.dumps(value, ensure_ascii=False)) + "\n"

    @property
    def srdf(self) -> str:
        chain = (
            f"<chain base_link={quoteattr(self.links[0])} tip_link={quoteattr(self.links[-1])}/>"
        )
        positions = "".join(
            f'<joint name={quoteattr(joint)} value="0.25"/>' for joint in self.joints
        )
        group, state = quoteattr(self.group), quoteattr(f"state {self.group}")
        pairs = "".join(
            f"<disable_collisions link1={quoteattr(a)} link2={quoteattr(b)} "
            f"reason={quoteattr(self.extension)}/>"
            for a, b in zip(self.links, self.links[1:], strict=False)
        )
        return (
            f"<robot name={quoteattr(self.name)}>\n{self.comment}\n<group "
            f"name={group}>{chain}</group>\n"
            f"<group_state name={state} group={group}>{positions}</group_state>\n"
            f"<end_effector name={quoteattr(self.extension)} "
            f"parent_link={quoteattr(self.links[-1])} group={group}/>\n"
            f"{pairs}\n</robot>\n"
        )


def odd_robot(
    names: Sequence[str] = ODD, others: Sequence[str] = (ODD[0], *EXPRESSIONS, *ODD[1:])
) -> OddRobot:
    """A chain with a link and a joint for each name."""
    return OddRobot(tuple(names), tuple(f"{name} joint" for name in names[1:]), tuple(others))
