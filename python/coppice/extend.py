"""What games and policies written in Python derive from and use: `coppice.core.extend` by its public name."""

from coppice.core.extend import *  # noqa: F403
from coppice.core.extend import __all__ as __all__
