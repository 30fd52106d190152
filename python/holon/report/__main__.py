"""python3 -m holon.report"""

import sys

from .command import main

sys.exit(main())
