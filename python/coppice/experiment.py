"""What an experiment is declared with: `coppice.papers.experiment` by its public name."""

from coppice.papers.experiment import *  # noqa: F403
from coppice.papers.experiment import __all__ as __all__
from coppice.papers.rows import *  # noqa: F403
