"""Errors that end a command: a refusal with its sentence, or an internal error, with a report in a
file."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import editor_app
from editor_app.cli._output import print_refusal
from editor_app.core.libraries import explain_missing_library
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.work import Cancelled
from editor_app.core.verbs.versions import write_fault_report

#: What a verb raises with a sentence for the user, also about files.
_REFUSALS = (Refusal, OSError)


def tell_of(error: Exception, command: str) -> int:
    """Says on standard error why the command ended; gives its exit code. `command`: as it was
    typed."""
    if isinstance(error, Cancelled):
        print_refusal("interrupted; no file is left half written")
        return 130
    if isinstance(error, BrokenPipeError):
        # The reader of the report has seen enough; at its end Python would try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif isinstance(error, ImportError):
        explain_missing_library(error)
        print_refusal(str(error))
    elif isinstance(error, _REFUSALS) or (isinstance(error, ValueError) and _is_ours(error)):
        print_refusal(str(error))
    else:
        trace = "".join(traceback.format_exception(error))
        place = traceback.extract_tb(error.__traceback__)[-1]
        report = write_fault_report(trace, command)
        where = (
            "no crash report could be written" if report is None else f"the report is in {report}"
        )
        print_refusal(
            f"internal error, {type(error).__name__} in "
            f"{os.path.basename(place.filename)}:{place.lineno} "
            f"({str(error) or 'no message'}); {where}"
        )
    return 2


def _is_ours(error: Exception) -> bool:
    """Whether this program raised it: a ValueError of a library is one that nobody thought of."""
    return Path(traceback.extract_tb(error.__traceback__)[-1].filename).is_relative_to(
        Path(editor_app.__file__).parent
    )
