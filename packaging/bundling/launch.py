"""Where a bundle starts: the same command as `python -m editor_app`."""

import multiprocessing
import os
import sys

if __name__ == "__main__":
    # A worker is the program started again with other arguments; it goes no further than here.
    multiprocessing.freeze_support()
    from platformdirs import user_cache_path

    # numba keeps compiled kernels beside their sources where it may write, as an administrator's first start may:
    # the package's folder would then outlive the package.
    os.environ.setdefault("NUMBA_CACHE_DIR", str(user_cache_path("xrdf-editor") / "kernels"))
    from editor_app.__main__ import main

    sys.exit(main())
