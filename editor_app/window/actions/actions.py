"""Every action of the window, registered once: menus, toolbar, context menus and the search box are
made from it.

    registry.add(SOURCE, panel, editor)

adds a table of `action_tables`, with the names of its subject (here a panel). The rules of an
action are asked again whenever the session changes; the first that fails says why it cannot be
used. An id that is added a second time replaces the first action.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from time import thread_time
from typing import Any

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar, QWidget

from editor_app.window.actions.action_tables import (
    CONTEXT_SUBMENUS,
    MENU_SECTIONS,
    RULES,
    ActionSpec,
)
from editor_app.window.session import Session
from editor_app.window.settings import Keymap
from editor_app.window.timers import after
from editor_app.window.widgets import icon as make_icon
from editor_app.window.widgets import plain_text

Reason = str | None
Rule = Callable[[], Reason]


class NothingToDo(str):
    """A reason that is good news: the action is not needed, so it is shown without a warning
    sign."""

    __slots__ = ()


#: Order of the menus; menus of plug-ins come before the last.
MENUS = ("File", "Edit", "View", "Robot", "Spheres", "Mask", "Help")
#: Order of the toolbar's sections.
TOOLBAR = ("file", "history", "spheres", "mask", "find")
#: CPU time of one turn of the event loop in which actions are refreshed, about.
_SECONDS_A_TURN = 0.03


def menu_place(name: str) -> float:
    """Return the number by which menus are sorted."""
    return MENUS.index(name) if name in MENUS else len(MENUS) - 1.5


@dataclass(eq=False, slots=True)
class Action:
    """One registered action; `qaction` is what widgets show."""

    spec: ActionSpec
    qaction: QAction
    run: Callable[[], object]
    #: Each gives a reason or None.
    rules: tuple[Rule, ...]
    checked: Callable[[], object] | None
    text: Callable[[], str] | None
    #: The keys that it comes with; `qaction` has those that count.
    first_keys: tuple[QKeySequence, ...]
    #: The widget that must have the focus for its keys, None: the window.
    context: QWidget | None
    reason: Reason = None
    #: The label and the reason that the tooltip was made of; None when it has to be made.
    told: tuple[str, Reason] | None = None

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def label(self) -> str:
        """The text without the mark of the mnemonic."""
        return (
            self.qaction.text()
            .replace("&&", "\0")
            .replace("&", "")
            .replace("\0", "&")
            .removesuffix("…")
        )

    def enabled(self, answers: dict[Rule, Reason] | None = None) -> Reason:
        """Why it cannot be used now: the first rule that fails; None when it can.

        `answers` has what rules said just now, and takes what is asked here: many actions share a
        rule.
        """
        answers = {} if answers is None else answers
        for rule in self.rules:
            if rule not in answers:
                answers[rule] = rule()
            if (reason := answers[rule]) is not None:
                return reason
        return None


class ActionRegistry(QObject):
    """One per window."""

    #: Actions came.
    registered = Signal()

    def __init__(self, session: Session, window: QWidget, keymap: Keymap | None = None) -> None:
        super().__init__(window)
        self._session = session
        #: The keys that the user chose; without one given, none is remembered.
        self.keymap = keymap if keymap is not None else Keymap(QSettings(), self)
        self.keymap.changed.connect(self._follow_keys)
        self._window = window
        self._actions: dict[str, Action] = {}
        #: Rules about the session alone, by name: the same for every table.
        self._rules_of_session: dict[str, Rule] = {}
        session.pose_changed.connect(self._follow_pose)
        told_by = (
            session.document_opened,
            session.history_changed,
            session.selection_changed,
            session.visibility_changed,
            session.display_changed,
            session.active_group_changed,
            session.findings_changed,
            session.locked_changed,
        )
        #: What the next turns refresh, and what rules answered meanwhile.
        self._stale: deque[Action] = deque()
        self._answers: dict[Rule, Reason] = {}
        self._later = after(self, self._begin_refresh, on=told_by)
        self._next = after(self, self._refresh_some)

    def add(
        self,
        specs: Iterable[ActionSpec],
        subject: object,
        context: QWidget | None = None,
        rules: Mapping[str, tuple[str, str]] | None = None,
    ) -> list[QAction]:
        """Registers a table; an action whose id is taken replaces the one that had it.

        `subject` has what the table names: "files.open" is `open` of its attribute `files`;
        "session" is always the window's. `context` is the widget in which the keys of specs that
        are `local` count. `rules`: as RULES, of this table alone. Raises AttributeError.
        """
        names = _Names(subject, self._session, self._rules_of_session, {**RULES, **(rules or {})})
        answers: dict[Rule, Reason] = {}
        qactions = [
            self._add(spec, names, answers, context if spec.local else None) for spec in specs
        ]
        self.registered.emit()
        return qactions

    def _add(
        self, spec: ActionSpec, names: _Names, answers: dict[Rule, Reason], context: QWidget | None
    ) -> QAction:
        replaced = self._actions.pop(spec.id, None)
        if replaced is not None:
            replaced.qaction.deleteLater()
        qaction = QAction(self)
        qaction.setObjectName(spec.id)
        qaction.setText(spec.text)
        if spec.icon:
            qaction.setIcon(make_icon(spec.icon))
        first_keys = [QKeySequence(keys) for keys in spec.keys.split()]
        qaction.setShortcuts(self._keys(spec.id, first_keys))
        qaction.setCheckable(bool(spec.checked))
        if spec.place:
            qaction.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        elif context is not None:
            qaction.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        if not spec.place:
            (context or self._window).addAction(qaction)
        action = Action(
            spec,
            qaction,
            partial(names.value(spec.run), *spec.given),
            tuple(names.rule(rule, spec.given) for rule in spec.when.split()),
            partial(names.now, spec.checked, spec.given) if spec.checked else None,
            partial(names.now, spec.label, spec.given) if spec.label else None,
            tuple(first_keys),
            context,
        )
        qaction.triggered.connect(lambda *_: self._run(action))
        ids = list(self._actions)
        self._actions[spec.id] = action
        for later in ids[ids.index(spec.before) :] if spec.before in ids else ():
            self._actions[later] = self._actions.pop(later)
        self._refresh(action, answers)
        return qaction

    def __getitem__(self, id: str) -> QAction:  # noqa: A002
        """The QAction of that id. Raises KeyError."""
        return self._actions[id].qaction

    def __contains__(self, id: object) -> bool:  # noqa: A002
        return id in self._actions

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(self._actions.values())

    def first_keys(self, id: str) -> tuple[QKeySequence, ...]:  # noqa: A002
        """The keys that an action comes with. Raises KeyError."""
        return self._actions[id].first_keys

    def users_of(self, keys: str, id: str) -> tuple[Action, ...]:  # noqa: A002
        """The other actions that have these keys (portable text) where the action of that id would
        use them."""
        wanted, asking = QKeySequence(keys), self._actions[id]
        return tuple(
            action
            for action in self._actions.values()
            if action is not asking
            and wanted in action.qaction.shortcuts()
            and _meet(action.context, asking.context)
        )

    def trigger(self, id: str) -> None:  # noqa: A002
        """Runs the action, or tells why it cannot be used. Raises KeyError."""
        action = self._actions[id]
        self._refresh(action)
        if action.reason is not None:
            self._tell_reason(action.reason)
        else:
            action.qaction.trigger()

    def fill_context_menu(self, menu: QMenu, context: str, without: str = "") -> None:
        """Appends the actions of `context` that are not of `without`, too, with a separator before
        each section.

        Menus and sections that have a submenu in this context (CONTEXT_SUBMENUS) are in it, below
        the others.
        """
        contexts = {action: action.spec.contexts.split() for action in self._actions.values()}
        actions = [
            action
            for action, named in contexts.items()
            if context in named and without not in named
        ]
        for action in actions:
            self._refresh(action)
        submenus: dict[str, list[QAction]] = {}
        for section in dict.fromkeys((action.spec.menu, action.spec.section) for action in actions):
            alike = [
                action.qaction
                for action in actions
                if (action.spec.menu, action.spec.section) == section
            ]
            titles = (CONTEXT_SUBMENUS.get((context, place)) for place in section)
            title = next((title for title in titles if title is not None), None)
            if title is not None:
                submenus.setdefault(title, []).extend(alike)
                continue
            if not menu.isEmpty():
                menu.addSeparator()
            menu.addActions(alike)
        if submenus:
            menu.addSeparator()
        for title, alike in submenus.items():
            group = menu.addMenu(title)
            group.addActions(alike)
            group.setToolTipsVisible(True)
        menu.setToolTipsVisible(True)

    # -- keys

    def _keys(self, id: str, first: list[QKeySequence]) -> list[QKeySequence]:  # noqa: A002
        chosen = self.keymap.keys(id)
        return first if chosen is None else [QKeySequence(keys) for keys in chosen]

    def _follow_keys(self, id: str) -> None:  # noqa: A002
        action = self._actions.get(id)
        if action is not None:
            action.qaction.setShortcuts(self._keys(id, list(action.first_keys)))
            action.told = None
            self._refresh(action)

    # -- keeping up

    def refresh_later(self, *_: object) -> None:
        """Asks every action again once the event loop is idle."""
        self._later.soon()

    def _follow_pose(self, _: object) -> None:
        for action in self._actions.values():
            if action.spec.with_pose:
                self._refresh(action)

    def _begin_refresh(self) -> None:
        self._answers = {}
        self._stale = deque(self._actions.values())
        self._refresh_some()

    def _refresh_some(self) -> None:
        """Refresh actions for a while: rules about a large robot must not hold up its drawing."""
        until = thread_time() + _SECONDS_A_TURN
        while self._stale:
            action = self._stale.popleft()
            if self._actions.get(action.id) is action:
                self._refresh(action, self._answers)
            if self._stale and thread_time() > until:
                self._next.start()
                return
        self._answers = {}

    def refresh(self) -> None:
        """Ask every action at once."""
        answers: dict[Rule, Reason] = {}
        for action in self._actions.values():
            self._refresh(action, answers)

    def _refresh(self, action: Action, answers: dict[Rule, Reason] | None = None) -> None:
        qaction = action.qaction
        if action.text is not None:
            qaction.setText(action.text())
        action.reason = action.enabled(answers)
        qaction.setEnabled(action.reason is None)
        if action.checked is not None:
            qaction.setChecked(bool(action.checked()))
        # All actions are asked after each step, and few tooltips change by one.
        told = (qaction.text(), action.reason)
        if told != action.told:
            action.told = told
            self._tell(action)

    def _tell(self, action: Action) -> None:
        qaction = action.qaction
        spec, tip = action.spec, action.spec.tip or action.label
        keys = qaction.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        if keys:
            tip += (
                f"  ({keys}, {spec.place[:1].lower()}{spec.place[1:]})"
                if spec.place
                else f"  ({keys})"
            )
        if action.reason is not None:
            tip += f"\n{action.reason}"
        qaction.setToolTip(plain_text(tip))

    def _tell_reason(self, reason: str) -> None:
        (self._session.noticed if isinstance(reason, NothingToDo) else self._session.refused).emit(
            reason
        )

    def _run(self, action: Action) -> None:
        self._refresh(action)
        if action.reason is not None:
            self._tell_reason(action.reason)
            return
        action.run()
        self.refresh_later()


class MenuBuilder(QObject):
    """Fills menu bar and toolbar from the registry, again whenever an action is registered."""

    def __init__(self, registry: ActionRegistry, bar: QMenuBar, toolbar: QToolBar) -> None:
        super().__init__(bar)
        self._registry = registry
        self._bar = bar
        self._toolbar = toolbar
        #: (menu, section, what it borrows).
        self._extra: list[tuple[str, str, QMenu]] = []
        #: Menu whose first letter is taken -> its title with the letter marked.
        self.letters = {"Export": "Expor&t"}
        self._timer = after(self, self.rebuild)
        registry.registered.connect(self._timer.start)

    def insert_menu(self, name: str, section: str, borrowed: QMenu) -> None:
        """Puts a menu that fills itself (recent files) after the actions of a section of the menu
        of that name."""
        self._extra.append((name, section, borrowed))
        self._timer.start()

    def rebuild(self) -> None:
        self._timer.stop()
        self._build_menus()
        self._build_toolbar()

    def _build_menus(self) -> None:
        borrowed = {menu for _, _, menu in self._extra}
        for action in self._bar.actions():
            menu = action.menu()
            self._bar.removeAction(action)
            if isinstance(menu, QMenu) and menu not in borrowed:
                # Submenus are children of their menu and go with it; borrowed ones were made for
                # the bar.
                menu.deleteLater()
        actions = list(self._registry.actions)
        names = {a.spec.menu.split("/")[0] for a in actions if a.spec.menu}
        for name in sorted(names, key=menu_place):
            menu = self._bar.addMenu(self.letters.get(name, f"&{name}"))
            menu.setObjectName(f"menu.{name}")
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(self._registry.refresh)
            self._fill(menu, name, [a for a in actions if a.spec.menu.split("/")[0] == name])

    def _fill(self, menu: QMenu, name: str, actions: list[Action]) -> None:
        order = MENU_SECTIONS.get(name, ())
        sections = sorted(
            dict.fromkeys(a.spec.section for a in actions),
            key=lambda section: order.index(section) if section in order else len(order),
        )
        submenus: dict[str, QMenu] = {}
        #: The section of the last entry of each menu, and whether that section has submenus alone.
        last: dict[QMenu, tuple[str, bool]] = {}
        for section in sections:
            inside = [a for a in actions if a.spec.section == section]
            only_submenus = all("/" in a.spec.menu for a in inside)
            for action in inside:
                parent, title = menu, action.spec.menu.partition("/")[2]
                if title:
                    if title not in submenus:
                        _separate(menu, last, section, only_submenus)
                        submenus[title] = menu.addMenu(self.letters.get(title, title))
                        submenus[title].setToolTipsVisible(True)
                    parent = submenus[title]
                _separate(parent, last, section, only_submenus and parent is menu)
                parent.addAction(action.qaction)
            for menu_name, menu_section, borrowed in self._extra:
                if (menu_name, menu_section) == (name, section):
                    menu.addMenu(borrowed)

    def _build_toolbar(self) -> None:
        self._toolbar.clear()
        shown = [action for action in self._registry.actions if action.spec.toolbar]
        shown.sort(key=lambda action: TOOLBAR.index(action.spec.toolbar))
        for _, section in groupby(shown, key=lambda action: action.spec.toolbar):
            if self._toolbar.actions():
                self._toolbar.addSeparator()
            self._toolbar.addActions([action.qaction for action in section])


def _separate(
    menu: QMenu, last: dict[QMenu, tuple[str, bool]], section: str, only_submenus: bool
) -> None:
    """Add a line before the first entry of a section; none between sections of a few submenus."""
    before, was_submenus = last.get(menu, (section, False))
    if before != section and not (was_submenus and only_submenus):
        menu.addSeparator()
    last[menu] = section, only_submenus


def _meet(a: QWidget | None, b: QWidget | None) -> bool:
    """Whether there is a focus in which the keys of both count: the window is around every
    widget."""
    return a is None or b is None or a is b or a.isAncestorOf(b) or b.isAncestorOf(a)


class _Names:
    """What the names of a table stand for."""

    def __init__(
        self,
        subject: object,
        session: Session,
        rules_of_session: dict[str, Rule],
        conditions: Mapping[str, tuple[str, str]],
    ) -> None:
        self._subject = subject
        self._session = session
        self._rules_of_session = rules_of_session
        self._conditions = conditions
        self._rules: dict[str, Rule] = {}

    def value(self, name: str) -> Any:
        """What a dotted name stands for; None where a step of it is None. Raises AttributeError."""
        value: Any = self._subject
        for step in name.split("."):
            if value is None:
                return None
            value = (
                self._session
                if step == "session" and value is self._subject
                else getattr(value, step)
            )
        return value

    def now(self, name: str, given: tuple[object, ...] = ()) -> Any:
        """The value at the moment, of a function what it answers."""
        value = self.value(name)
        return value(*given) if callable(value) else value

    def rule(self, name: str, given: tuple[object, ...]) -> Rule:
        """One of the conditions, or a function of the subject that gives the reason: one and the
        same for each name."""
        if name.endswith("(given)"):
            return partial(self.now, name.removesuffix("(given)"), given)
        if name not in self._conditions:
            return self._rules.setdefault(name, partial(self.now, name))
        path, reason = self._conditions[name]
        denied, path = path.startswith("not "), path.removeprefix("not ")
        rules = self._rules_of_session if path.startswith("session.") else self._rules
        return rules.setdefault(
            f"{path} {reason}", lambda: None if bool(self.now(path)) is not denied else reason
        )
