"""Margins: how much of a clearance deviations can take, as a bound that holds for all of them.

columns = Columns.of(tree, tolerances)
pair_bound(columns, one, other, columns.state(values))  # at configurations
path_margin(columns, one, other, values, stop)  # on the way between them
"""

from editor_app.core.late import late_modules

late_modules(__name__)
