"""Agents as submissions to Kaggle ConnectX: one file each, without dependencies.

`export` puts a file together from the modules in `template`, which are plain Python and are tested
as they are; `builders` lists the modules of each agent, and `assets` packs its book or model.
"""

from claimeven.adapters.kaggle.export import export_submission as export_submission
from claimeven.adapters.kaggle.export import submission as submission
