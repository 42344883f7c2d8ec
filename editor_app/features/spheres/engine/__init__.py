"""Collision spheres for a mesh: fitting, figures, proof of coverage, hand tools. Metres; spheres
are rows x, y, z, r.

`fit.fit_spheres` is the way in; `solid.build_solid` prepares a mesh once for many fits. The modules
`links`, `results` and `settings` load nothing compiled.
"""

from editor_app.core.late import late_modules

late_modules(__name__)
