"""Files of any size: chains and trees of links, XRDFs of many spheres, scenes of many obstacles."""

from __future__ import annotations

_LINK = (
    '<link name="l{i}"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>\n'
)
_JOINT = (
    '<joint name="j{i}" type="revolute"><parent link="l{parent}"/><child link="l{i}"/><origin '
    'xyz="0 0 0.1"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>\n'
)


def urdf_text(links: int, children: int = 1) -> str:
    """A robot of so many links, each of which carries so many others: with one child a chain."""
    bodies = "".join(_LINK.format(i=i) for i in range(links))
    joints = "".join(_JOINT.format(i=i, parent=(i - 1) // children) for i in range(1, links))
    return f'<robot name="large">\n{bodies}{joints}</robot>\n'


def xrdf_text(spheres: int, links: int = 10) -> str:
    """An XRDF for a chain of `links` with so many spheres on them."""
    names = [f"j{i}" for i in range(1, links)]
    lists = "".join(
        f"      l{i}:\n"
        + "".join(
            f"        - center: [{k * 1e-5:.5f}, 0.0, 0.1]\n          radius: 0.01\n"
            for k in range(i, spheres, links)
        )
        for i in range(links)
    )
    return (
        "format: xrdf\nformat_version: 1.0\ndefault_joint_positions:\n"
        + "".join(f"  {name}: 0.0\n" for name in names)
        + f"cspace:\n  joint_names: [{', '.join(names)}]\n  acceleration_limits: [{', '.join(['10.0'] * len(names))}]\n"
        f"  jerk_limits: [{', '.join(['500.0'] * len(names))}]\ntool_frames: [l{links - 1}]\n"
        "collision:\n  geometry: g\nself_collision:\n  geometry: g\n  ignore:\n"
        + "".join(f"    l{i}: [l{i + 1}]\n" for i in range(links - 1))
        + f"geometry:\n  g:\n    spheres:\n{lists}"
    )


def scene_text(obstacles: int) -> str:
    """A world of cuRobo with so many small boxes, two metres away and beyond."""
    return "cuboid:\n" + "".join(
        f"  b{i}:\n    dims: [0.01, 0.01, 0.01]\n"
        f"    pose: [{2 + i % 100 * 0.02:.3f}, {2 + i // 100 * 0.02:.3f}, 0.0, 1, 0, 0, 0]\n"
        for i in range(obstacles)
    )
