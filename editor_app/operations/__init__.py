"""The verbs: open, check, fit, mask, convert, save. The command line, the window and the public API are their faces.

One module per verb, without Qt: a function that takes values and returns a frozen result. A verb that works long also
takes `executor`, `progress` and `cancel` (see `operations.work`), with defaults that run in the calling process.
"""

from editor_app.late import late_modules

late_modules(__name__)
