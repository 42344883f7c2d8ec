"""Imported by the server that forks the tests' workers: everything that jobs load and compile, once
for all of them."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import warnings

import editor_app.core.tasks
import editor_app.core.verbs
from editor_app.core.late import load_late
from editor_app.core.tasks.task import SILENT
from editor_app.features.masks.engine.warmup import warm_up
from editor_app.features.spheres.verbs.link_fits import prepare_fitting
from editor_app.plugins.motion.engine.warmup import warm_up_motion

for _layer in (editor_app.core.tasks, editor_app.core.verbs):
    for _module in pkgutil.iter_modules(_layer.__path__, f"{_layer.__name__}."):
        load_late(importlib.import_module(_module.name))
for _name in (
    "scipy.spatial",
    "scipy.optimize",
    "trimesh",
    "collada",
    "editor_app.core.space.geometry.loading",
    "tests.helpers.kept_jobs",
):
    load_late(importlib.import_module(_name))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    prepare_fitting(SILENT)
    warm_up(SILENT.progress)
    warm_up_motion()
# Collections in the workers then leave alone, and so share, what is here.
gc.collect()
gc.freeze()
