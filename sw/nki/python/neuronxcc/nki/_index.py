# SPDX-License-Identifier: Apache-2.0
"""Index grids: nl.arange and nl.mgrid, sums of multiples of them, and the comparisons that make masks.

Positions of a grid's dimensions count from its end, as arrays of numpy are aligned.
"""
import numbers

from nki import _core


class LoopIndex(int):
    """A loop's index: an integer that knows whether it is the loop's first, and of loop_reduce() in its turn."""

    first = False
    sums = None  # how many, by place


class Term:
    """One dimension of a grid: step, number of elements, and the nl.arange calls that it comes from."""

    __slots__ = ("step", "count", "origins")

    def __init__(self, step, count, origins):
        self.step, self.count, self.origins = step, count, origins


def _joined(a, b):
    if a.count != b.count and 1 not in (a.count, b.count):
        raise _core.validation_error(f"index grids of {a.count} and {b.count} elements in one dimension")
    step = (a.step if a.count > 1 else 0) + (b.step if b.count > 1 else 0)
    return Term(step, max(a.count, b.count), a.origins | b.origins)


class Index:
    """const + sum of step * i over the dimensions of a grid."""

    __slots__ = ("const", "terms", "ndim")

    def __init__(self, const, terms, ndim):
        self.const, self.terms, self.ndim = const, terms, ndim

    @property
    def shape(self):
        return tuple(self.terms[p].count if p in self.terms else 1 for p in range(-self.ndim, 0))

    def __getitem__(self, key):
        """[:, None] and the like: new dimensions of one element."""
        keys = key if isinstance(key, tuple) else (key,)
        kept = [at for at, item in enumerate(keys) if item is not None]
        if len(kept) != self.ndim or any(keys[at] != slice(None) for at in kept):
            raise _core.not_supported("a subscript of an index grid other than : and None")
        terms = {}
        for position, at in zip(range(-self.ndim, 0), kept):
            if position in self.terms:
                terms[at - len(keys)] = self.terms[position]
        return Index(self.const, terms, len(keys))

    def __add__(self, other):
        if is_integer(other):
            return Index(self.const + int(other), self.terms, self.ndim)
        if not isinstance(other, Index):
            return NotImplemented
        terms = dict(self.terms)
        for position, term in other.terms.items():
            terms[position] = _joined(terms[position], term) if position in terms else term
        return Index(self.const + other.const, terms, max(self.ndim, other.ndim))

    __radd__ = __add__

    def __mul__(self, factor):
        if not is_integer(factor):
            raise _core.not_supported(f"an index grid times {type(factor).__name__}")
        factor = int(factor)
        return Index(self.const * factor,
                     {p: Term(t.step * factor, t.count, t.origins) for p, t in self.terms.items()}, self.ndim)

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return self * -1 + other

    def __floordiv__(self, other):
        raise _core.not_supported("// of an index grid")

    def __mod__(self, other):
        raise _core.not_supported("% of an index grid")

    __truediv__ = __rfloordiv__ = __floordiv__

    def __ge__(self, other):
        return Mask([(self - other, False)])

    def __gt__(self, other):
        return Mask([(self - other - 1, False)])

    def __le__(self, other):
        return Mask([(other - self, False)])

    def __lt__(self, other):
        return Mask([(other - self - 1, False)])

    def __eq__(self, other):
        return Mask([(self - other, True)])

    def __ne__(self, other):
        raise _core.not_supported("a mask with !=")

    __hash__ = None

    def bounds(self, parts=()):
        """Smallest and largest value, where `parts` has first and last place of some positions."""
        low = high = self.const
        for position, term in self.terms.items():
            ends = dict(parts).get(position, (0, term.count - 1))
            values = [term.step * end for end in ends]
            low, high = low + min(values), high + max(values)
        return low, high


class Mask:
    """A conjunction of index >= 0, or index == 0 where the flag is set."""

    def __init__(self, conditions):
        self.conditions = conditions

    def __and__(self, other):
        if isinstance(other, Mask):
            return Mask(self.conditions + other.conditions)
        return self if other else Mask([(Index(-1, {}, 1), False)])

    __rand__ = __and__

    def __or__(self, other):
        raise _core.not_supported("a mask with |")

    __ror__ = __or__

    def __invert__(self):
        raise _core.not_supported("a mask with ~")

    def __bool__(self):
        raise _core.validation_error("a mask has no value of its own: & joins masks, where= and mask= take them")


def is_integer(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) or hasattr(value, "__index__")


def arange(*args):
    """nl.arange(stop), nl.arange(start, stop, step)."""
    numbers_ = range(*(int(n) for n in args))
    return Index(numbers_.start, {-1: Term(numbers_.step, len(numbers_), frozenset([object()]))}, 1)


class Grid(tuple):
    """The indices of nl.mgrid, one for each dimension; p, x, y, z, w by their names."""

    p = property(lambda self: self[0])
    x = property(lambda self: self[1])
    y = property(lambda self: self[2])
    z = property(lambda self: self[3])
    w = property(lambda self: self[4])


class _MakesGrids:
    def __getitem__(self, key):
        ranges = key if isinstance(key, tuple) else (key,)
        made = []
        for at, part in enumerate(ranges):
            subscript = tuple(slice(None) if at == other else None for other in range(len(ranges)))
            made.append(arange(part.start or 0, part.stop, part.step or 1)[subscript])
        return Grid(made)


mgrid = _MakesGrids()


class Box:
    """The part of a grid that a mask leaves: first place and end of each dimension that it cuts, by position."""

    def __init__(self, mask, counts):
        """counts: the elements of dimension `position` of what is masked, or None."""
        self.parts, self.is_empty = {}, mask is False
        for index, is_equal in getattr(mask, "conditions", ()):
            self._cut(index, is_equal, counts)

    def _cut(self, index, is_equal, counts):
        terms = {p: t for p, t in index.terms.items() if t.count > 1 and t.step}
        if len(terms) == 1:
            (position, term), = terms.items()
            known = counts(position)
            if known is not None and known != term.count:
                raise _core.validation_error(f"mask of {term.count} elements in a dimension of {known}")
            holds = [i for i in range(term.count) if _holds(index.const + term.step * i, is_equal)]
            low, high = self.parts.get(position, (0, term.count))
            low, high = max(low, holds[0] if holds else 0), min(high, holds[-1] + 1 if holds else 0)
            self.parts[position] = (low, high)
            self.is_empty = self.is_empty or low >= high
            return
        low, high = index.bounds()
        if is_equal and low != high or not is_equal and low < 0 <= high:
            raise _core.not_supported("a mask that is no box: a comparison of several dimensions that cuts")
        self.is_empty = self.is_empty or not _holds(low, is_equal)

    def of(self, ndim, shape):
        """The same by dimension, for what has these elements; dimensions of one element are not cut."""
        return {ndim + p: part for p, part in self.parts.items() if ndim + p >= 0 and shape[ndim + p] > 1}


def _holds(value, is_equal):
    return value == 0 if is_equal else value >= 0
