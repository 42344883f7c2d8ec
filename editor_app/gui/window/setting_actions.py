"""Settings as actions: in the menus, and found by the search box ("dark", "radians", "blender", "cumotion")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from editor_app.gui.actions import NO_ROBOT, ActionRegistry
from editor_app.gui.session import AngleUnit, LengthUnit, Session
from editor_app.gui.settings import Settings
from editor_app.gui.theme import ThemeChoice, theme
from editor_app.gui.viewport.navigation import MouseScheme
from editor_app.model.robot import Profile

_THEMES = (
    (ThemeChoice.SYSTEM, "Colours of the &system", "desktop"),
    (ThemeChoice.LIGHT, "&Light colours", "sun"),
    (ThemeChoice.DARK, "&Dark colours", "moon"),
)
_LENGTHS = ((LengthUnit.MILLIMETRE, "Lengths in &millimetres"), (LengthUnit.METRE, "Lengths in m&etres"))
_ANGLES = ((AngleUnit.DEGREE, "Angles in &degrees"), (AngleUnit.RADIAN, "Angles in &radians"))


def register_profile_actions(
    registry: ActionRegistry, session: Session, choose: Callable[[Profile], object], names: Mapping[Profile, str]
) -> None:
    """The program that findings are judged for, one action for each."""

    def is_chosen(profile: Profile) -> bool:
        return session.document is not None and session.document.profile is profile

    def judge(profile: Profile) -> None:
        choose(profile)
        registry.refresh_later()

    for profile, name in names.items():
        registry.register(
            f"robot.profile.{profile.value}",
            f"Findings for {name}",
            partial(judge, profile),
            icon="warning-circle",
            menu="Robot/Target program",
            section="profile",
            checked=partial(is_chosen, profile),
            enabled=lambda: None if session.document is not None else NO_ROBOT,
            tooltip="The program that the XRDF is written for: findings are those that matter to it",
            keywords="target program profile check setting",
        )


def register_setting_actions(registry: ActionRegistry, session: Session, settings: Settings) -> None:
    """One action for each choice; the present one is checked."""

    def choose(choice: ThemeChoice) -> None:
        settings.set_theme(choice)
        theme().choose(choice)
        registry.refresh_later()

    def chosen(choice: ThemeChoice) -> bool:
        return settings.theme is choice

    def in_use(unit: LengthUnit | AngleUnit) -> bool:
        return unit in (session.display.length_unit, session.display.angle_unit)

    def steers(scheme: MouseScheme) -> bool:
        return session.display.mouse is scheme

    # Another window may choose them, too.
    theme().changed.connect(registry.refresh_later)
    for scheme in MouseScheme:
        registry.register(
            f"view.mouse.{scheme.value}",
            f"Mouse as in {scheme.program}",
            partial(session.set_display, mouse=scheme),
            icon="mouse",
            menu="View/Mouse",
            section="lengths",
            checked=partial(steers, scheme),
            tooltip=scheme.navigation.hint,
            keywords="mouse scheme navigation orbit pan zoom setting",
        )
    for choice, label, icon in _THEMES:
        registry.register(
            f"view.colours.{choice.value}",
            label,
            partial(choose, choice),
            icon=icon,
            menu="View/Colours",
            section="colours",
            checked=partial(chosen, choice),
            keywords="theme mode appearance colors night day",
        )
    for length, label in _LENGTHS:
        registry.register(
            f"view.units.{length.value}",
            label,
            partial(session.set_display, length_unit=length),
            icon="ruler",
            menu="View/Units",
            section="lengths",
            checked=partial(in_use, length),
            keywords=f"unit setting {length.value}",
        )
    for angle, label in _ANGLES:
        registry.register(
            f"view.units.{angle.value}",
            label,
            partial(session.set_display, angle_unit=angle),
            icon="compass",
            menu="View/Units",
            section="angles",
            checked=partial(in_use, angle),
            keywords=f"unit setting {angle.value}",
        )
