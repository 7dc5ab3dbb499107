"""Games and programs of OpenSpiel: `coppice.protocols.openspiel` by its public name."""

from coppice.protocols.openspiel import *  # noqa: F403
from coppice.protocols.openspiel import __all__ as __all__
