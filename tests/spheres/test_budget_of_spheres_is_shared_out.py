"""The usual budget, the curve that sharing out goes by, and who gets how many."""

import numpy as np
import pytest
import trimesh

import editor_app
from editor_app.features.spheres.engine.budget import (
    LossCurve,
    estimate_budget,
    loss_curve,
    share_out,
)
from editor_app.features.spheres.engine.search import cover_start
from editor_app.features.spheres.engine.settings import FittingError
from editor_app.features.spheres.engine.solid import build_solid


def solid_of(mesh):
    return build_solid(np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int32))


def test_the_curve_falls_and_agrees_with_the_covers_themselves():
    solid = solid_of(trimesh.creation.box((0.4, 0.2, 0.1)))
    curve = loss_curve(solid, 64)
    losses = [curve.loss(n) for n in range(1, 65)]
    assert losses == sorted(losses, reverse=True)
    for number in (8, 16, 32):
        _, slack = cover_start(solid, number)
        exact = slack * solid.diagonal * solid.outer_area**0.5
        assert 0.7 < curve.loss(number) / exact < 1.45


def test_twice_the_size_has_four_times_the_loss():
    small, large = (
        loss_curve(solid_of(trimesh.creation.box((s, s / 2, s / 4))), 32) for s in (0.2, 0.4)
    )
    assert large.loss(8) == pytest.approx(4 * small.loss(8), rel=0.15)


def test_everything_is_shared_out_and_more_goes_where_more_is_gained():
    steep = LossCurve((1, 10, 100), (1.0, 0.1, 0.01))
    flat = LossCurve((1, 10, 100), (0.1, 0.09, 0.08))
    numbers = share_out([steep, flat, steep], [1, 1, 2], 60)
    assert 58 <= numbers[0] + numbers[1] + 2 * numbers[2] <= 60
    assert numbers[1] < numbers[0]
    assert min(numbers) >= 1


def test_a_large_base_does_not_take_most_of_the_budget():
    """As of a walking robot: a trunk that is a thin box, and four legs of two links."""
    trunk = solid_of(trimesh.creation.box((0.9, 0.4, 0.15)))
    leg = solid_of(trimesh.creation.cylinder(0.04, 0.3))
    curves = [loss_curve(solid, 144) for solid in (trunk, leg)]
    trunk_number, leg_number = share_out(curves, [1, 8], 144)
    assert trunk_number + 8 * leg_number <= 144
    assert trunk_number < 0.6 * 144
    # Neither stands out much further than the other.
    depths = [
        c.loss(n) / s.outer_area**0.5
        for c, n, s in zip(curves, (trunk_number, leg_number), (trunk, leg), strict=True)
    ]
    assert max(depths) / min(depths) < 2.5


def test_fewer_spheres_than_links_are_refused():
    curve = LossCurve((1, 10), (1.0, 0.1))
    with pytest.raises(FittingError, match="too small for 3 links"):
        share_out([curve, curve], [1, 2], 2)


@pytest.mark.parametrize(("links", "least", "most"), [(1, 16, 16), (7, 112, 112), (66, 300, 600)])
def test_the_usual_budget_does_not_explode_with_the_links(links, least, most):
    assert least <= estimate_budget(links) <= most


@pytest.mark.parametrize(("links", "share"), [(5, 0.4), (40, 1.0)])
def test_for_planning_few_links_begin_with_few_spheres_and_many_with_all(tmp_path, links, share):
    """A chain of boxes. Of many links with a sphere or two each, several refuse each free
    configuration at once."""
    box = (
        '<collision><origin xyz="0 0 0.1"/><geometry><box size="0.05 0.05 '
        '0.2"/></geometry></collision>'
    )
    bodies = "".join(f'<link name="l{k}">{box}</link>' for k in range(links))
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/><origin '
        'xyz="0 0 0.2"/>'
        f'<axis xyz="1 0 0"/>{limit}</joint>'
        for k in range(1, links)
    )
    path = tmp_path / "chain.urdf"
    path.write_text(f'<robot name="chain">{bodies}{joints}</robot>')
    choices = editor_app.FitChoices(effort="fast", for_planning=True, mount=False)
    fitted = editor_app.fit(editor_app.open_robot(path, new_xrdf=True), choices=choices)
    count = sum(len(spheres) for spheres in fitted.spheres.values())
    assert 0.8 * share * estimate_budget(links) <= count <= 1.2 * share * estimate_budget(links)
