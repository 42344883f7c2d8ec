"""File, Save picture: how large, with which background, and with or without what is selected."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QFormLayout, QHBoxLayout, QProgressBar, QSpinBox, QVBoxLayout

from editor_app.gui import dialogs
from editor_app.gui.bindings.choice_box import ChoiceBox
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.session import Session
from editor_app.gui.timers import after
from editor_app.gui.viewport.picture import LARGEST, SMALLEST, Picture, PictureOptions, check_ending, write_picture
from editor_app.gui.viewport.view import Viewport
from editor_app.gui.widgets import STRETCH, PlainLabel, dress, fill

_SIZES = {"hd": (1920, 1080), "4k": (3840, 2160)}


class PictureDialog(dialogs.Dialog):
    """Saves one picture of the view as it is now."""

    def __init__(self, view: Viewport, session: Session, store: QSettings, jobs: Jobs) -> None:
        super().__init__(view.window(), "picture", "Save picture")
        self._jobs = jobs
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._view, self._session, self._store = view, session, store
        self.size_box = ChoiceBox(self)
        width, height = view.canvas.ren_win.GetSize()
        self.size_box.addItem(f"As the view: {width} × {height}", "view")
        for key, (w, h) in _SIZES.items():
            self.size_box.addItem(f"{w} × {h}", key)
        self.size_box.addItem("Another size", "own")
        self.width_box, self.height_box = self._pixels("Width in pixels"), self._pixels("Height in pixels")
        self.transparent = dress(QCheckBox("&Transparent background", self), tip="PNG and WebP keep it")
        self.plain = QCheckBox("Without &selection colours and handles", self)
        times, unit = PlainLabel("×", self), PlainLabel("pixels", self)
        pixels = fill(QHBoxLayout(), self.width_box, times, self.height_box, unit, STRETCH)
        form = QFormLayout()
        form.addRow("Si&ze", self.size_box)
        form.addRow("", pixels)
        form.addRow("", self.transparent)
        form.addRow("", self.plain)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.save_button = self.button("&Save…", "save")
        self.progress = dress(QProgressBar(self), name="How much of the picture is drawn")
        # Its place is kept: Cancel does not move from under the mouse.
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.progress.hide()
        #: What is drawn, and where it goes.
        self._picture: Picture | None = None
        self._path, self._options = Path(), PictureOptions()
        self._began: tuple[object, ...] = ()
        self._next = after(self, self._draw)
        self.lay_out(form, self.progress).setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        self._recall((width, height))
        self.size_box.currentIndexChanged.connect(self._follow_size)
        self._follow_size()

    def options(self) -> PictureOptions:
        """What is chosen now."""
        kind = self.size_box.currentData()
        size = None if kind == "view" else (self.width_box.value(), self.height_box.value())
        return PictureOptions(size, self.transparent.isChecked(), not self.plain.isChecked())

    # -- inside

    def _pixels(self, name: str) -> QSpinBox:
        box = dress(QSpinBox(self), name=name, align=Qt.AlignmentFlag.AlignRight)
        box.setRange(SMALLEST, LARGEST)
        return box

    def _follow_size(self, *_: object) -> None:
        kind = self.size_box.currentData()
        size = self._view.canvas.ren_win.GetSize() if kind == "view" else _SIZES.get(kind)
        if size is not None:
            self.width_box.setValue(size[0])
            self.height_box.setValue(size[1])
        for box in (self.width_box, self.height_box):
            box.setEnabled(size is None)

    def _recall(self, view: tuple[int, int]) -> None:
        store = self._store
        self.size_box.setCurrentIndex(max(0, self.size_box.findData(store.value("picture/size", "view"))))
        for box, key, usual in ((self.width_box, "width", view[0]), (self.height_box, "height", view[1])):
            text = str(store.value(f"picture/{key}", usual))
            box.setValue(int(text) if text.isdecimal() else usual)
        self.transparent.setChecked(store.value("picture/transparent") == "true")
        self.plain.setChecked(store.value("picture/plain", "true") == "true")

    def _remember(self) -> None:
        store = self._store
        store.setValue("picture/size", self.size_box.currentData())
        if self.size_box.currentData() == "own":
            store.setValue("picture/width", str(self.width_box.value()))
            store.setValue("picture/height", str(self.height_box.value()))
        store.setValue("picture/transparent", "true" if self.transparent.isChecked() else "false")
        store.setValue("picture/plain", "true" if self.plain.isChecked() else "false")

    def accept(self) -> None:
        """Asks for the file, draws, writes, and closes."""
        options = self.options()
        robot = self._session.robot
        kinds = "Pictures (*.png *.webp)" if options.transparent else "Pictures (*.png *.jpg *.webp)"
        name = (robot.urdf.name if robot is not None else "") or "robot"
        path = dialogs.save_target(self, "Save picture", f"{name}.png", kinds, ".png")
        if path is None:
            return
        session = self._session
        try:
            check_ending(path, options)
        except OSError as error:
            session.refused.emit(str(error))
            return
        self._remember()
        self._path, self._options = path, options
        self._picture, self._began = self._begin(), self._shown()
        for widget in (self.size_box, self.width_box, self.height_box, self.transparent, self.plain):
            widget.setEnabled(False)
        self.save_button.setEnabled(False)
        self._draw()

    def _draw(self) -> None:
        """A piece between two turns of the event loop, until it is drawn, or called off by Cancel."""
        picture = self._picture
        if picture is None:
            return
        if self._shown() != self._began:
            # Something moved by itself, as a trajectory that is played does: all pieces show the same moment.
            picture = self._picture = self._begin()
            while not picture.is_done:
                picture.step()
        else:
            picture.step()
        self.progress.setValue(round(100 * picture.share))
        if picture.is_done:
            self._write(picture.image, self._path)
        else:
            self.progress.show()
            self._next.start()

    def _begin(self) -> Picture:
        return Picture(self._view.scene, self._view.canvas, self._options)

    def _shown(self) -> tuple[object, ...]:
        """What pieces of one picture have in common."""
        session = self._session
        return self._view.scene.camera.view, session.robot, session.pose, session.hidden, session.display

    def _write(self, image: QImage, path: Path) -> None:
        session = self._session
        # To pack it takes several times as long, and any thread can.
        JobSlot(self._jobs).run(
            f"Writing {path.name}",
            lambda report: write_picture(image, path, partial(report.progress, 0.99, "")),
            lambda _: session.message.emit(f"The picture is in {path}."),
            in_thread=True,
            failed=lambda error: session.refused.emit(error.message),
        )
        super().accept()

    def done(self, result: int) -> None:
        if self._picture is not None and not self._picture.is_done:
            self._view.scene.redraw()
        self._picture = None
        self._next.stop()
        super().done(result)
