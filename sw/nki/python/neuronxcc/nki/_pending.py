# SPDX-License-Identifier: Apache-2.0
"""Results of instructions: recorded when the next one comes, so that `a[...] = nisa.f(...)` writes into `a`.

Loads wait until something uses them, as long as nothing is stored: memory is held shorter, and the scheduler moves them ahead.
"""
from nki import _core, _site, _trace
from nki.isa import _element as isa
from nki.isa._call import is_number
from nki.tensor import HBM, new_tensor, psum, sbuf


class Pending:
    """An instruction that is not yet recorded."""

    def __init__(self, tile, record, sources, buffers, in_place, is_product):
        self.tile, self.record = tile, record
        self.sources = sources  # tiles that it reads
        self.buffers = buffers  # memories that it can write
        self.in_place = in_place  # may write the very elements that it reads
        self.is_product = is_product
        self.place = _site.key()
        self.iteration = _trace.current("nki.isa").core.iteration  # of the loops where the author has it

    def write(self, target, **options):
        core = _trace.current("nki.isa").core
        now, core.iteration = core.iteration, self.iteration
        try:
            with _site.pinned(self.place):
                self.record(target, **options)
        finally:
            core.iteration = now

    def can_write(self, target):
        if target.buffer not in self.buffers or target.shape != self.tile.shape:
            return False
        storage = target.root()._view.storage
        for source in self.sources:
            if source.root()._view.storage == storage and not (self.in_place and same_place(source, target)):
                return False
        return True


def in_sbuf(view):
    """The view, or a copy of it for the engines that do not read PSUM here."""
    if view.buffer != psum:
        return view
    moved = new_tensor(view.shape, view.dtype, sbuf)
    isa.tensor_copy(dst=moved, src=view)
    return moved


def same_place(a, b):
    def place(tile):
        view = tile.view()
        return view._view.storage, view.offset, tuple(view.strides), tuple(view.shape)
    return place(a) == place(b)


def later(shape, dtype, record, sources=(), buffer=sbuf, buffers=(sbuf, psum), in_place=True, is_product=False):
    """The tile that record(target) writes. What it reads is recorded first: that must not record it, before its
    destination is known."""
    from ._tile import Tile
    from nki.dtype import dtype_of
    flush()
    for source in sources:
        if isinstance(source, Tile):
            source.settle()
    tile = Tile(shape=shape, dtype=dtype_of(dtype), buffer=buffer)
    tile.pending = Pending(tile, record, [s for s in sources if isinstance(s, Tile)], buffers, in_place, is_product)
    _trace.current("nki.isa").pending = tile.pending
    return tile


def load_later(shape, dtype, record, source):
    """As later(), of a load."""
    tile = later(shape, dtype, record, [source], buffers=(sbuf,))
    trace = _trace.current()
    trace.pending = None
    trace.__dict__.setdefault("loads", {})[id(tile)] = tile.pending
    return tile


def is_load(waiting):
    return id(waiting.tile) in _trace.current().__dict__.get("loads", ())


def flush():
    """Records the instruction that waits, with a tensor of its own."""
    trace = _trace.current("a tensor")
    waiting, trace.pending = getattr(trace, "pending", None), None
    if waiting is not None:
        _record(waiting)


def flush_loads():
    """Before something is stored, which they may read."""
    flush()
    loads = _trace.current().__dict__.get("loads", {})
    while loads:
        _record(loads.pop(next(iter(loads))))


def flush_of(waiting):
    flush()
    if is_load(waiting):
        del _trace.current().loads[id(waiting.tile)]
        _record(waiting)


def _record(waiting):
    from ._tile import Tile
    with _site.pinned(waiting.place):
        tensor = new_tensor(waiting.tile.shape, waiting.tile.dtype, waiting.tile.buffer)
    waiting.tile.becomes(tensor)
    waiting.write(Tile(tensor))


def _take(value):
    """The instruction that waits, if it makes this value."""
    waiting = getattr(value, "pending", None)
    if waiting is None:
        return None
    assert is_load(waiting) or _trace.current().pending is waiting
    return waiting


def _claim(waiting):
    """Takes it out of those that wait."""
    if is_load(waiting):
        flush()
        del _trace.current().loads[id(waiting.tile)]
    else:
        _trace.current().pending = None


def assign(target, value):
    """target = value, for elements of a tensor."""
    if target.buffer in HBM:
        raise _core.validation_error("assignment to a tensor in HBM: expected nl.store or nisa.dma_copy")
    if is_number(value):
        flush()
        isa.memset(dst=target.view(), value=value)
        return
    waiting = _take(value)
    if waiting is not None and waiting.can_write(target):
        _claim(waiting)
        value.becomes(target.view())
        waiting.write(target)
        return
    copy(target, value)


def copy(target, value):
    flush()
    source = value.view()
    if tuple(source.shape) != tuple(target.shape):
        source = spread(source, target.shape, "assignment")
    isa.tensor_copy(dst=target.view(), src=source)


def spread(view, shape, what):
    """The view with dimensions of one element repeated; as it is where only ones differ."""
    if view.size == _count(shape) and view.shape[0] == shape[0]:
        return view
    if len(view.shape) != len(shape):
        raise _core.validation_error(f"{what}: shapes {list(view.shape)} and {list(shape)} differ")
    for d, (have, want) in enumerate(zip(view.shape, shape)):
        if have != want:
            if have != 1 or d == 0:
                raise _core.validation_error(f"{what}: shapes {list(view.shape)} and {list(shape)} differ")
            view = view.broadcast(d, want)
    return view


def _count(shape):
    count = 1
    for n in shape:
        count *= n
    return count


def add_to(target, value):
    """target += value: a product is added in PSUM, anything else by Vector."""
    waiting = _take(value) if not is_number(value) else None
    if waiting is not None and waiting.is_product and target.buffer == psum and waiting.can_write(target):
        _claim(waiting)
        value.becomes(target.view())
        waiting.write(target, adds=True)
        target.is_stored = True
        return target
    from ._tile import OPERATORS
    return update(target, OPERATORS["add"], value)


def update(target, function, value):
    flush()
    assign(target, function(target, value, dtype=target.dtype))
    target.is_stored = True
    return target
