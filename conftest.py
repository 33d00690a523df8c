"""For every test and every page: strategies that are found stay out of the user's own cache."""

import os
import tempfile

os.environ["DENIABLE_CACHE"] = tempfile.mkdtemp(prefix="deniable-cache-")
