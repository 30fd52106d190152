"""On import, makes sure of h5py and numpy: starts the script again with Debian's Python if this one has not got them."""

import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"

try:
    import h5py  # noqa: F401
except ImportError:
    if sys.executable == SYSTEM_PYTHON or not os.path.exists(SYSTEM_PYTHON):
        sys.exit(f"{os.path.basename(sys.argv[0])}: Python needs h5py and numpy (Debian: tools/install-deps --tests)")
    os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
