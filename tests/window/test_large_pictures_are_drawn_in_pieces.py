"""A large picture is drawn piece by piece between events: the same picture, and Cancel ends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QImage

from editor_app.window import dialogs
from editor_app.window.jobs import Jobs
from editor_app.window.viewport import picture
from editor_app.window.viewport.picture import PictureDialog, PictureOptions
from tests.helpers.viewport import Stage, shown, take_picture
from tests.helpers.windows import wait_until

__all__ = ["shown"]


def pixels_of(image: QImage) -> Any:
    shape = image.height(), image.width(), 4
    return np.frombuffer(image.constBits(), np.uint8).reshape(shape).astype(int)


@pytest.mark.parametrize(
    ("parallel", "transparent"), [(False, False), (True, False), (False, True)]
)
def test_a_picture_in_pieces_is_the_one_drawn_at_once(
    shown: Stage, monkeypatch: pytest.MonkeyPatch, parallel: bool, transparent: bool
) -> None:
    """But for a shade of the background, and single pixels at edges that roundings decide."""
    shown.session.set_display(
        parallel_projection=parallel, frames=True, frame_names=True, grid=not transparent
    )
    options = PictureOptions((700, 460), transparent=transparent)
    whole = pixels_of(take_picture(shown.view, options))
    monkeypatch.setattr(picture, "PIECE", (200, 160))
    assert len(picture.pieces(700, 460)) == 12
    drawn = pixels_of(take_picture(shown.view, options))
    apart = np.abs(drawn - whole).max(axis=2)
    assert whole.std() > 5, "there is something to see"
    assert (apart > 2).mean() < 2e-3
    # Nowhere is there a line along the edge of a piece.
    for piece in picture.pieces(700, 460):
        assert (apart[:, piece.left()] > 2).mean() < 0.02
        assert (apart[piece.top()] > 2).mean() < 0.02
    assert shown.canvas.main.GetActiveCamera().GetWindowCenter() == (0.0, 0.0)


def test_a_large_picture_is_drawn_between_events_and_can_be_called_off(
    shown: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "PIECE", (320, 200))
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "large.png"))
    jobs = Jobs()
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)

    def saving() -> PictureDialog:
        dialog = PictureDialog(shown.view, shown.session, store, jobs)
        dialog.size_box.choose("own")
        dialog.size_box.activated.emit(dialog.size_box.currentIndex())
        dialog.width_box.setValue(1200)
        dialog.height_box.setValue(700)
        dialog.open()
        dialog.save_button.click()
        return dialog

    dialog = saving()
    assert 0 < dialog.progress.value() < 100
    assert not dialog.save_button.isEnabled()
    dialog.reject()
    shown.settle()
    assert not jobs.running
    assert not (tmp_path / "large.png").exists()
    # What moves meanwhile is seen at one moment; the camera does not go along with the robot.
    shown.session.set_display(follow_selection=False)
    dialog = saving()
    shown.session.set_joint("nod", 0.3)
    wait_until((tmp_path / "large.png").exists, 60)
    wait_until(lambda: not jobs.running, 60)
    written = pixels_of(
        QImage(str(tmp_path / "large.png")).convertToFormat(
            QImage.Format.Format_RGBA8888_Premultiplied
        )
    )
    monkeypatch.setattr(picture, "PIECE", (1200, 700))
    now = pixels_of(take_picture(shown.view, PictureOptions((1200, 700))))
    assert (np.abs(written - now).max(axis=2) > 2).mean() < 2e-3
    jobs.close()
    jobs.deleteLater()
