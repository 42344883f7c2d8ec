"""The verbs: open, check, fit, mask, convert, save. The command line, the window and the public API
are their faces.

One module per verb, without Qt: a function that takes values and returns a frozen result. A verb
that works long also takes `executor`, `progress` and `cancel` (see `core.tasks.work`), with
defaults that run in the calling process.
"""

from editor_app.core.late import late_modules

late_modules(__name__)
