"""What the actuators of a compiled MJCF say of the joints that they move."""

from __future__ import annotations

from typing import Any

import numpy as np

from editor_app.formats.foreign.mjcf.compiled import Compiled

#: MuJoCo's numbers: what an actuator moves, how its force comes about, what a tendon is led over.
_ON_JOINT, _ON_TENDON = (0, 1), 3
_FIXED_GAIN, _NO_BIAS, _AFFINE_BIAS = 0, 0, 1
_OVER_JOINT = 1


class Drives:
    """By MuJoCo's numbers of joints."""

    def __init__(self, source: Compiled) -> None:
        self.model = source.model
        self.by_joint: dict[int, list[int]] = {}
        #: The joints that an actuator moves, itself or by a tendon, in the order of the actuators.
        self.driven: list[int] = []
        for actuator in range(self.model.nu):
            kind, target = int(self.model.actuator_trntype[actuator]), int(self.model.actuator_trnid[actuator][0])
            if kind in _ON_JOINT:
                self.by_joint.setdefault(target, []).append(actuator)
                self.driven.append(target)
            elif kind == _ON_TENDON:
                self.driven += self._led_over(target)
        self.driven = list(dict.fromkeys(self.driven))

    def _led_over(self, tendon: int) -> list[int]:
        first, count = int(self.model.tendon_adr[tendon]), int(self.model.tendon_num[tendon])
        wraps = range(first, first + count)
        return [int(self.model.wrap_objid[w]) for w in wraps if self.model.wrap_type[w] == _OVER_JOINT]

    def effort(self, joint: int) -> float | None:
        """Newton metres or newtons; None where nothing says it."""
        model = self.model
        told = [float(np.abs(model.jnt_actfrcrange[joint]).max())] if model.jnt_actfrclimited[joint] else []
        forces = [self._force(actuator) for actuator in self.by_joint.get(joint, ())]
        summed = [force for force in forces if force is not None]
        if forces and len(summed) == len(forces):
            told.append(sum(summed))
        return min(told) if told and min(told) > 0 else None

    def _force(self, actuator: int) -> float | None:
        model, gear = self.model, abs(float(self.model.actuator_gear[actuator][0]))
        if model.actuator_forcelimited[actuator]:
            return gear * float(np.abs(model.actuator_forcerange[actuator]).max())
        plain = model.actuator_gaintype[actuator] == _FIXED_GAIN and model.actuator_biastype[actuator] == _NO_BIAS
        if plain and model.actuator_ctrllimited[actuator]:
            gain = abs(float(model.actuator_gainprm[actuator][0]))
            return gear * gain * float(np.abs(model.actuator_ctrlrange[actuator]).max())
        return None

    def positions(self, joint: int) -> tuple[float, float] | None:
        """Radians or metres that a servo can be asked for; None without one."""
        lower, upper = self._commanded(joint, 1) or (0.0, 0.0)
        return (lower, upper) if lower < upper else None

    def speed(self, joint: int) -> float | None:
        """Radians or metres per second that an actuator of velocity can be asked for; None without one."""
        asked = self._commanded(joint, 2)
        return max(map(abs, asked)) or None if asked is not None else None

    def _commanded(self, joint: int, order: int) -> tuple[float, float] | None:
        """The range of control of an actuator of force kp (control - value); `order`: 1 of position, 2 of speed."""
        model: Any = self.model
        for actuator in self.by_joint.get(joint, ()):
            bias = [float(v) for v in model.actuator_biasprm[actuator][:3]]
            gain, gear = float(model.actuator_gainprm[actuator][0]), float(model.actuator_gear[actuator][0])
            servo = (
                model.actuator_biastype[actuator] == _AFFINE_BIAS and gain > 0 and abs(bias[order] + gain) < 1e-9 * gain
            )
            if servo and gear and (order == 1 or not bias[1]) and model.actuator_ctrllimited[actuator]:
                ends = sorted(float(v) / gear for v in model.actuator_ctrlrange[actuator])
                return ends[0], ends[1]
        return None
