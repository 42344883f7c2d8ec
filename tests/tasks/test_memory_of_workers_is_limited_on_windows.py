"""What a worker asks Windows for, by a kernel32 that only listens: the layout of the structures,
the limit, the job."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import pytest

from editor_app.core.tasks.worker import ExtendedLimits, MemoryStatus, limit_process_memory

pytestmark = pytest.mark.skipif(
    ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes hold for 64 bits"
)


class Function:
    """Answers as it is told; ctypes sets restype and argtypes on it."""

    restype: Any = None
    argtypes: Any = None

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __call__(self, *arguments: Any) -> Any:
        return self._answer(*arguments)


class Kernel:
    """A machine of 10 GB, and what it was asked for."""

    def __init__(self, *, assigns: bool = True) -> None:
        self.asked: list[tuple[str, int]] = []
        self.GlobalMemoryStatusEx = Function(self._status)
        self.CreateJobObjectW = Function(lambda *_: 77)
        self.GetCurrentProcess = Function(lambda: 2**64 - 1)
        self.SetInformationJobObject = Function(self._set)
        self._assigns = assigns
        self.AssignProcessToJobObject = Function(self._assign)

    def _assign(self, job: int, process: int) -> bool:
        self.asked.append(("job", job))
        return self._assigns

    def _status(self, pointer: Any) -> int:
        status = ctypes.cast(pointer, ctypes.POINTER(MemoryStatus)).contents
        assert status.dwLength == 64
        status.ullTotalPhys = 10 << 30
        return 1

    def _set(self, job: int, kind: int, pointer: Any, size: int) -> int:
        assert (job, kind, size) == (77, 9, 144)
        limits = ctypes.cast(pointer, ctypes.POINTER(ExtendedLimits)).contents
        self.asked.append(("flags", limits.BasicLimitInformation.LimitFlags))
        self.asked.append(("bytes", limits.ProcessMemoryLimit))
        return 1


def test_the_process_gets_a_job_with_a_share_of_the_memory() -> None:
    kernel = Kernel()
    assert limit_process_memory(0.5, kernel)
    assert kernel.asked == [("flags", 0x100), ("bytes", 5 << 30), ("job", 77)]
    assert ExtendedLimits.ProcessMemoryLimit.offset == 112


def test_windows_may_refuse() -> None:
    assert not limit_process_memory(0.5, Kernel(assigns=False))


@pytest.mark.skipif(sys.platform != "win32", reason="needs Windows")
def test_the_real_windows_takes_it() -> None:
    import subprocess

    program = "from editor_app.core.tasks.worker import limit_process_memory as f; print(f(0.5))"
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "True"
