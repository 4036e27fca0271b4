"""Compiled code: making kernels, storing them on disk, and operations that they share."""

from claimeven.compiled.decorators import MAX_BITS as MAX_BITS
from claimeven.compiled.decorators import Kernel as Kernel
from claimeven.compiled.decorators import for_bits as for_bits
from claimeven.compiled.decorators import inlined as inlined
from claimeven.compiled.decorators import kernel as kernel
from claimeven.compiled.decorators import load as load
from claimeven.compiled.decorators import prepared as prepared
from claimeven.compiled.decorators import when_compiling as when_compiling
from claimeven.compiled.intrinsics import as_word as as_word
from claimeven.compiled.intrinsics import bits_of as bits_of
from claimeven.compiled.intrinsics import folded as folded
from claimeven.compiled.intrinsics import leading_zeros as leading_zeros
from claimeven.compiled.intrinsics import line_of_four as line_of_four
from claimeven.compiled.intrinsics import popcount as popcount
from claimeven.compiled.intrinsics import prefetch as prefetch
from claimeven.compiled.intrinsics import trailing_zeros as trailing_zeros
from claimeven.compiled.intrinsics import winning_four as winning_four
from claimeven.compiled.types import Int as Int
from claimeven.compiled.types import Ints as Ints
from claimeven.compiled.types import Word as Word
from claimeven.compiled.types import Words as Words
from claimeven.compiled.types import bits64 as bits64
from claimeven.compiled.types import boolean as boolean
from claimeven.compiled.types import float32 as float32
from claimeven.compiled.types import float64 as float64
from claimeven.compiled.types import int32 as int32
from claimeven.compiled.types import int64 as int64
from claimeven.compiled.types import named_tuple as named_tuple
from claimeven.compiled.types import read_only as read_only
from claimeven.compiled.types import uint8 as uint8
from claimeven.compiled.types import uint64 as uint64
from claimeven.compiled.types import void as void

#: Whether kernels record their steps: only in modules for the page, see `webassembly`. Compiled
#: kernels have no trace of it otherwise.
RECORDING = False
