# SPDX-License-Identifier: Apache-2.0
"""Loops, which unroll while the kernel is built; the launch grid; sums over loops."""
from nki import _core, _site, _trace
from nki.isa._operators import op_name

from .. import _pending
from .._index import LoopIndex
from .._tile import OPERATORS, Tile
from ..isa._call import leaves_nothing


def affine_range(*args, **_):
    """The core learns which iteration an instruction belongs to; sums, which loops are open."""
    numbers = range(*(int(n) for n in args))
    core = _trace.current().core if _trace.is_tracing() else None
    outer = core.iteration if core else 0
    open_loops = _open_loops() if core else []
    depth = len(open_loops)
    try:
        for n in numbers:
            if core:
                core.begin_iteration(outer)
            index = LoopIndex(n)
            index.first = n == numbers.start
            index.sums = {}
            open_loops[depth:] = [index]
            yield index
    finally:
        del open_loops[depth:]
        if core:
            core.iteration = outer


def _open_loops():
    return _trace.current().__dict__.setdefault("open_loops", [])


sequential_range = static_range = affine_range


class par_dim(int):
    """nl.par_dim(n): the dimension of partitions."""


def program_id(axis=0):
    program = _trace.current("program_id()").program
    if not 0 <= axis < max(1, len(program.grid)):
        raise _core.validation_error(f"program_id({axis}): the launch grid has {len(program.grid)} dimensions")
    return program.ids[axis] if program.ids else 0


def num_programs(axes=None):
    program = _trace.current("num_programs()").program
    wanted = range(len(program.grid)) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    count = 1
    for axis in wanted:
        count *= program.grid[axis] if program.grid else 1
    return count


def program_ndim():
    return len(_trace.current("program_ndim()").program.grid)


def loop_reduce(x, op, loop_indices, dtype=None, mask=None, **_):
    """x in the first turn of the loops; then what there was, and x."""
    operator = op_name(op)
    if leaves_nothing(mask, "loop_reduce"):
        raise _core.not_supported("loop_reduce(mask=) that leaves nothing")
    if any(not isinstance(index, LoopIndex) for index in loop_indices):
        raise _core.validation_error("loop_reduce: loop_indices must be indices of loops")
    if operator not in ("add", "multiply", "maximum", "minimum"):
        raise _core.not_supported(f"loop_reduce(op={operator})")
    sums = _trace.current("loop_reduce()").__dict__.setdefault("sums", {})
    key = _sum_of(loop_indices)

    def record(target):
        if key not in sums or all(index.first for index in loop_indices):
            _pending.copy(target, x)
        else:
            before = sums[key]
            if not _pending.same_place(target, before):
                _pending.copy(target, before)
            _pending.assign(target, OPERATORS[operator](target, x, dtype=target.dtype))
        sums[key] = Tile(target.view())
    return _pending.later(x.shape, dtype or x.dtype, record, [x])


def _sum_of(loop_indices):
    """Each turn of the other loops has a sum of its own, and so has each call in one turn of all."""
    place, open_loops = _site.key(), _open_loops()
    calls = open_loops[-1].sums if open_loops else {}
    calls[place] = calls.get(place, 0) + 1
    others = tuple(int(index) for index in open_loops if not any(index is summed for summed in loop_indices))
    return place, others, calls[place]
