"""A limit for the memory of this process on Windows: a job object that it is assigned to.

https://learn.microsoft.com/windows/win32/api/winnt/ns-winnt-jobobject_extended_limit_information. A job of its own is
allowed beside one that the process is in already (since Windows 8).
"""

from __future__ import annotations

import ctypes
from typing import Any

_LIMIT_PROCESS_MEMORY = 0x100
_EXTENDED_LIMIT_INFORMATION = 9


class _Basic(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION; the six counters of input and output are not asked for."""

    _fields_ = (
        ("BasicLimitInformation", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("dwLength", ctypes.c_uint32),
        ("dwMemoryLoad", ctypes.c_uint32),
        ("ullTotalPhys", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def limit_process_memory(share: float, kernel: Any = None) -> bool:
    """Lets this process commit `share` of the machine's memory at most; False when Windows refuses.

    `kernel`: kernel32, by default that of the system.
    """
    if kernel is None:
        kernel = getattr(ctypes, "WinDLL")("kernel32")  # noqa: B009 - only on Windows
    kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
    kernel.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    kernel.SetInformationJobObject.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
    status = MemoryStatus(dwLength=ctypes.sizeof(MemoryStatus))
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return False
    limits = ExtendedLimits(ProcessMemoryLimit=int(share * status.ullTotalPhys))
    limits.BasicLimitInformation.LimitFlags = _LIMIT_PROCESS_MEMORY
    # The handle is never closed: the job is to last as long as the process.
    job = kernel.CreateJobObjectW(None, None)
    size = ctypes.sizeof(limits)
    if not job or not kernel.SetInformationJobObject(job, _EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), size):
        return False
    return bool(kernel.AssignProcessToJobObject(job, kernel.GetCurrentProcess()))
