"""Takes the current folder off the path of imports: `run.py` and `test.py` import this before
anything else.

An empty or relative entry of PYTHONPATH (the files of ROS leave one behind) puts it before Python's
own library: an argparse.py in the folder of a downloaded robot would be run. Only modules that
Python has loaded already are imported.
"""

import os
import sys

_ENTRIES = os.environ.get("PYTHONPATH", "").split(os.pathsep)
_UNWANTED = {os.path.realpath(entry) for entry in _ENTRIES if not os.path.isabs(entry)}
if "PYTHONPATH" in os.environ:
    #: The folder of the script itself comes first, and stays.
    sys.path[1:] = [entry for entry in sys.path[1:] if os.path.realpath(entry) not in _UNWANTED]
    os.environ["PYTHONPATH"] = os.pathsep.join(entry for entry in _ENTRIES if os.path.isabs(entry))
