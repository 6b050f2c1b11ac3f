"""Python reads this at its start where this folder is on PYTHONPATH: `memory_modes.py` puts it there.

So programs that a test starts have the same memory as the test.
"""

import os
import sys
from pathlib import Path

if os.environ.get("TEST_MEMORY"):
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    from tests.helpers.memory_modes import apply

    apply(os.environ["TEST_MEMORY"])
