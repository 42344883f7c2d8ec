"""The small inputs of a hand tool, over the lower edge of the view; what it would do is shown at
once."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QWidget

from editor_app.core.model.robot import CannotApply
from editor_app.core.tasks.task import Task
from editor_app.features.spheres.verbs.sphere_tools import NEEDS_MESH, ToolResult, run_tool
from editor_app.features.spheres.window import hand_tools
from editor_app.features.spheres.window.context import FitContext
from editor_app.features.spheres.window.strip import Strip
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.number_field import NumberField, NumberInput, ScrubLabel
from editor_app.window.bindings.quantity import LENGTH, NUMBER, Quantity
from editor_app.window.jobs import JobSlot
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import PlainLabel, dress, fill_layout

#: What is said when a tool leaves everything as it is.
_NOTHING = {
    "mirror": "Nothing to add: both sides already have these spheres.",
    "grow": "Nothing to grow: the spheres already touch the surface.",
    "shrink": "Nothing to shrink: every sphere is needed for coverage.",
    "superfluous": "Nothing to delete: every sphere is needed for coverage.",
}
#: Kind of a number -> what it measures, and its limits and steps.
_NUMBERS: dict[str, tuple[Quantity, dict[str, Any]]] = {
    "count": (NUMBER, {"limits": (1, 500), "step": 1.0, "whole": True}),
    "factor": (NUMBER, {"limits": (0.01, 100), "step": 0.01}),
    "length": (LENGTH, {}),
}


class ToolBox(Strip):
    """One per window. Tools without inputs run at once; the others open this, show a preview, and
    wait for Apply."""

    def __init__(self, context: FitContext, over: QWidget) -> None:
        super().__init__("toolbox", "Tool settings", over)
        self._context = context
        self._session = context.session
        #: The tool that waits for Apply.
        self.tool: hand_tools.HandTool | None = None
        self._inputs: dict[str, QWidget] = {}
        self._values: dict[str, dict[str, Any]] = {}
        self._work = JobSlot(context.window_jobs, self._go_on)
        #: What was asked for while something ran: a tool, and whether it is applied.
        self._next: tuple[hand_tools.HandTool, bool] | None = None
        self._timer = after(self, self._preview, Wait.HAND_TOOL)
        self._session.selection_changed.connect(lambda _: self._on_selection())
        self._session.robot_settled.connect(
            lambda *_: self._timer.start() if self.tool is not None else None
        )
        self._session.document_opened.connect(lambda _: self.close_box())

    # -- what others call

    @property
    def is_busy(self) -> bool:
        return self._work.is_running or self._timer.isActive()

    def input(self, name: str) -> QWidget:
        """The widget of a field. Raises KeyError."""
        return self._inputs[name]

    def run(self, tool: hand_tools.HandTool) -> None:
        """Opens the inputs of a tool, or runs it when it has none."""
        self.close_box()
        if not tool.fields:
            self._start(tool, apply=True)
            return
        self.tool = tool
        self.clear()
        self._inputs = {}
        self._layout.addWidget(
            dress(PlainLabel(tool.text.replace("&", "").removesuffix("…")), look="heading")
        )
        values = self._values.setdefault(tool.id, {f.name: f.start for f in tool.fields})
        values.update(hand_tools.begins_with(tool, self._context))
        for field in tool.fields:
            self._add(field, values)
        self._enable_inputs(tool, values)
        apply = dress(QPushButton("Apply"), id="toolbox.apply", tip="Return", run=self.apply)
        cancel = dress(QPushButton("Cancel"), id="toolbox.cancel", tip="Esc", run=self.close_box)
        fill_layout(self._layout, apply, cancel)
        self.show_up()
        first = next(iter(self._inputs.values()))
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        self._timer.start()

    def apply(self) -> None:
        """Does what the preview shows, as one step."""
        tool = self.tool
        if tool is None:
            return
        for widget in self._inputs.values():
            if isinstance(widget, NumberField) and not widget.commit():
                return
        self._timer.stop()
        self._start(tool, apply=True)

    def close_box(self) -> None:
        """Nothing happened."""
        self._timer.stop()
        self._next = None
        if self.tool is not None:
            self.tool = None
            self._context.propose({})
        self.hide()

    # -- building

    def _enable_inputs(self, tool: hand_tools.HandTool, values: dict[str, Any]) -> None:
        unused = hand_tools.unused_by(tool, values)
        for name, widget in self._inputs.items():
            widget.setEnabled(name not in unused)

    def _add(self, field: hand_tools.ToolField, values: dict[str, Any]) -> None:
        def changed(value: Any) -> None:
            values[field.name] = value
            if self.tool is not None:
                self._enable_inputs(self.tool, values)
            self._timer.start()

        if field.kind == "switch":
            box = QCheckBox(field.text)
            box.setChecked(bool(values[field.name]))
            box.toggled.connect(changed)
            self._inputs[field.name] = box
            self._layout.addWidget(box)
            return
        widget: QWidget
        if field.kind == "choice":
            choices = [(text, key) for key, text in field.choices]
            widget = choice_box(field.text, choices, changed, values[field.name])
            label: QLabel = PlainLabel(field.text)
        else:
            quantity, looks = _NUMBERS[field.kind]
            start, take = float(values[field.name]), lambda value, _: changed(value)
            number = NumberInput(self._session, quantity, field.text, take, value=start, **looks)
            number.setFixedWidth(84)
            widget, label = number, ScrubLabel(field.text, number)
        self._inputs[field.name] = widget
        fill_layout(self._layout, label, widget)

    # -- running

    def _on_selection(self) -> None:
        if self.tool is None:
            return
        if hand_tools.reason_against(self.tool, self._context) is not None:
            self.close_box()
        else:
            self._timer.start()

    def _preview(self) -> None:
        if self.tool is not None:
            self._start(self.tool, apply=False)

    def _go_on(self) -> None:
        if self._next is not None and not self._work.is_running:
            (tool, apply), self._next = self._next, None
            self._start(tool, apply=apply)

    def _start(self, tool: hand_tools.HandTool, *, apply: bool) -> None:
        if self._work.is_running:
            # To end it would end a warm process.
            self._next = tool, apply or self._next == (tool, True)
            return
        reason = hand_tools.reason_against(tool, self._context)
        if reason is not None:
            self._session.refused.emit(reason)
            return
        values = dict(self._values.get(tool.id, {f.name: f.start for f in tool.fields}))
        if "count" in values:
            values["count"] = round(values["count"])
        try:
            frames = hand_tools.jobs_for(tool, self._context, values)
        except CannotApply as error:
            self._context.propose({})
            self._session.refused.emit(str(error))
            return
        job = Task(run_tool, tool.id, frames)

        def take(results: dict[str, ToolResult]) -> None:
            change = hand_tools.change_of(tool, self._context, results)
            if change is not None:
                # What it takes away is said before it is accepted, too.
                self._session.message.emit(f"{change[0].label}.")
            if apply:
                self.close_box()
                if change is None:
                    self._session.message.emit(_NOTHING.get(tool.id, "Nothing to change."))
                else:
                    self._session.execute(change[0], selection=change[1])
            elif self.tool is tool:
                present = self._context.spheres_in(hand_tools.group_of(self._context))
                self._context.propose(
                    {f: hand_tools.spheres_of(r, present.get(f, ())) for f, r in results.items()}
                )

        def stale() -> None:
            # Somebody went on working meanwhile: what was computed is not for this any more.
            if apply:
                self._session.refused.emit(
                    "Nothing was applied, because the spheres changed. Try again."
                )

        # Quick sums: no process has to be started for them.
        is_quick = tool.id not in NEEDS_MESH | {"split"}
        self._work.run(
            tool.text.replace("&", "").removesuffix("…"),
            job,
            take,
            in_thread=is_quick,
            jobs=None if is_quick or tool.id == "improve" else self._context.preview_jobs,
            failed=partial(self._context.window_jobs.refuse, self._session.refused.emit),
            about=lambda: self._session.robot,
            stale=stale,
            quiet=is_quick,
        )
