"""Where a bundle starts: the same command as `python -m editor_app`."""

import multiprocessing
import sys

if __name__ == "__main__":
    # A worker is the program started again with other arguments; it goes no further than here.
    multiprocessing.freeze_support()
    from editor_app.__main__ import main

    sys.exit(main())
