r"""Records of games as files of this and of other programs, read and written.

>>> from claimeven.records import read_records, write_text
>>> records = list(read_records("3, 3, 4, 4\n", "openspiel"))
>>> write_text(records, "moves")
'4455\n'
"""

from claimeven import lazy

__getattr__, __dir__, __all__ = lazy.offer(__name__)
