# SPDX-License-Identifier: Apache-2.0
"""The tensor object of kernels."""
from . import _core, _messages, _trace
from .dtype import dtype_of


_MOST = 1 << 63


class MemoryRegion(str):
    """A buffer: where a tensor is."""

    __slots__ = ()
    name = value = property(str)

    def __repr__(self):
        return f"nki.language.{str(self)}"


sbuf, psum = MemoryRegion("sbuf"), MemoryRegion("psum")
hbm, private_hbm, shared_hbm = MemoryRegion("hbm"), MemoryRegion("private_hbm"), MemoryRegion("shared_hbm")
HBM = (hbm, private_hbm, shared_hbm)
for _region in (sbuf, psum, *HBM):
    setattr(MemoryRegion, str(_region), _region)  # as members of an enumeration


class Slice:
    """nl.ds(start, size) and nl.ts: a range of one dimension."""

    def __init__(self, start, size):
        self.start, self.size = start, size

    def slice(self):
        start = _index(self.start)
        return slice(start, start + _index(self.size))


def _index(value):
    try:
        number = value.__index__()
    except AttributeError:
        raise _core.not_supported(f"an index of type {type(value).__name__}") from None
    if not -_MOST <= number < _MOST:
        raise _core.validation_error(f"the number {_messages.shortened(number)} is beyond 64 bits")
    return number


def _pairs(pattern):
    """[[step, count], ...] of ap()."""
    listed = (tuple, list)
    if not isinstance(pattern, listed) or not pattern or any(not isinstance(p, listed) or len(p) != 2 for p in pattern):
        raise _core.validation_error(f"ap: pattern {_messages.shortened(pattern)}: expected pairs of step and count, "
                                     "as in [[512, 128], [1, 512]]")
    return [(_index(step), _index(count)) for step, count in pattern]


def _subscript(key):
    if isinstance(key, tuple):
        return tuple(_subscript(item) for item in key)
    if isinstance(key, Slice):
        return key.slice()
    if isinstance(key, slice):
        for number in (key.start, key.stop, key.step):
            if isinstance(number, int):
                _index(number)
        return key
    if key is Ellipsis:
        return key
    if isinstance(key, NkiTensor):
        raise _core.not_supported("a tensor as index")
    return _index(key)


class NkiTensor:
    """A view of memory: shape, strides and offset in elements of its storage."""

    __slots__ = ("_view", "buffer", "_trace", "row_index", "rows", "columns")
    # numpy does not spread over it.
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self, view, buffer, trace):
        self._view, self.buffer, self._trace = view, buffer, trace
        self.row_index = None  # a tensor of row numbers (ap with vector_offset)
        self.rows = None  # step and count of the rows, in elements
        self.columns = None  # the tensor, the offsets of its columns, how many (indirect)

    def _with(self, view):
        if self.columns is not None:
            raise _core.not_supported("a view of an indirect one")
        result = NkiTensor(view, self.buffer, self._trace)
        if self.row_index is not None:  # other dimensions than that of the rows may change
            if view.shape[0] != self.shape[0] or view.strides[0] != self.strides[0]:
                raise _core.not_supported("a part of the rows of an indirect view")
            result.row_index, result.rows = self.row_index, self.rows
        return result

    shape = property(lambda self: self._view.shape)
    strides = property(lambda self: self._view.strides)
    offset = property(lambda self: self._view.offset)
    dtype = property(lambda self: dtype_of(self._view.dtype))
    name = property(lambda self: self._view.name)
    ndim = property(lambda self: len(self._view.shape))
    itemsize = property(lambda self: self.dtype.itemsize)

    @property
    def size(self):
        count = 1
        for n in self._view.shape:
            count *= n
        return count

    def __len__(self):
        return self._view.shape[0]

    def __repr__(self):
        return f"NkiTensor({self.name}{list(self.shape)}, {self.dtype}, {self.buffer})"

    def __bool__(self):
        return True  # `if tensor:` asks whether there is one

    def __iter__(self):
        raise _core.validation_error(f"tensor `{self.name}` cannot be iterated: use its indices")

    def __getitem__(self, key):
        return self._with(self._view.subscript(_subscript(key)))

    def __setitem__(self, key, value):
        raise _core.not_supported("assignment to a tensor (NKI 0.1)")

    def _no_operator(self, symbol):
        names = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "@": "matmul", "**": "power",
                 "//": "floor", "%": "mod", "unary -": "negative", ">": "greater", "<": "less", ">=": "greater_equal", "<=": "less_equal",
                 "==": "equal", "!=": "not_equal"}
        return _core.operator_error(f"tensor `{self.name}` has no operator {symbol}: use nl.{names[symbol]}(..), or a "
                                    "function of nki.isa")

    def _is_same(self, other, symbol):
        """Kernels ask whether there is a tensor, or whether it is this one."""
        if isinstance(other, (int, float, complex)) or hasattr(other, "__array__"):
            raise self._no_operator(symbol)
        return self is other

    def __eq__(self, other):
        return self._is_same(other, "==")

    def __ne__(self, other):
        return not self._is_same(other, "!=")

    __hash__ = object.__hash__

    def slice(self, dim, start, end, step=1):
        return self._with(self._view.slice(dim, start, end, step))

    def select(self, dim, index):
        if isinstance(index, NkiTensor) or hasattr(index, "frozen"):
            self._check_movable(dim)
            return self._with(self._view.select(dim, 0))._moved(index, self.strides[dim] * self._view.type_bytes)
        return self._with(self._view.select(dim, _index(index)))

    def permute(self, dims):
        return self._with(self._view.permute(list(dims)))

    def broadcast(self, dim, size):
        return self._with(self._view.broadcast(dim, size))

    def expand_dim(self, dim):
        return self._with(self._view.expand(dim))

    def squeeze_dim(self, dim):
        return self._with(self._view.squeeze(dim))

    def reshape(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = shape[0]
        return self._with(self._view.reshape([_index(n) for n in shape]))

    def _dimension(self, dim):
        number = _index(dim)
        if not -self.ndim <= number < self.ndim:
            raise _core.validation_error(f"dimension {number} of tensor `{self.name}`{list(self.shape)}")
        return number % self.ndim

    def reshape_dim(self, dim, shape):
        dim = self._dimension(dim)
        parts = list(shape)
        if -1 in parts:
            rest = 1
            for n in parts:
                rest *= n if n != -1 else 1
            parts[parts.index(-1)] = self.shape[dim] // rest if rest else 0
        return self.reshape(list(self.shape[:dim]) + parts + list(self.shape[dim + 1:]))

    def flatten_dims(self, start, end):
        start, end = self._dimension(start), self._dimension(end)
        merged = 1
        for n in self.shape[start:end + 1]:
            merged *= n
        return self.reshape(list(self.shape[:start]) + [merged] + list(self.shape[end + 1:]))

    def rearrange(self, src_pattern, dst_pattern, fixed_sizes=None):
        """(('b', ('h', 'w')), ('b', 'w', 'h')): dimensions by name, groups are split or merged."""
        sizes = dict(fixed_sizes or {})
        groups = [(g,) if isinstance(g, str) else tuple(g) for g in src_pattern]
        names = [name for group in groups for name in group]
        wanted = [(g,) if isinstance(g, str) else tuple(g) for g in dst_pattern]
        if len(groups) != self.ndim or len(set(names)) != len(names) or sorted(names) != sorted(
                name for group in wanted for name in group):
            raise _core.validation_error(f"rearrange of `{self.name}`{list(self.shape)}: {src_pattern} to {dst_pattern}")
        for group, size in zip(groups, self.shape):
            open_names = [name for name in group if name not in sizes]
            known = 1
            for name in group:
                known *= sizes.get(name, 1)
            if len(open_names) > 1 or size % known or (not open_names and known != size):
                raise _core.validation_error(f"rearrange of `{self.name}`: {size} elements do not divide into {group} "
                                             f"with {sizes}")
            if open_names:
                sizes[open_names[0]] = size // known
        split = self.reshape([sizes[name] for name in names])
        moved = split.permute([names.index(name) for group in wanted for name in group])
        merged = []
        for group in wanted:
            merged.append(1)
            for name in group:
                merged[-1] *= sizes[name]
        return moved.reshape(merged)

    def vector_select(self, dim, vector_offset):
        """Row vector_offset[p] for partition p."""
        if dim != 0 or self.buffer not in HBM:
            raise _core.validation_error("vector_select: expected dimension 0 of a tensor in HBM")
        if self.row_index is not None or self._view.is_moved:
            raise _core.validation_error("vector_select: the view has an offset already")
        pairs = [(0, vector_offset.shape[0])] + list(zip(self.strides[1:], self.shape[1:]))
        result = self._with(self._view.pattern(pairs, self.offset, None))
        result.row_index = vector_offset
        result.rows = (self.strides[0], self.shape[0])
        return result

    def indirect(self, index, num_elem=None):
        """Columns at the offsets that `index` lists, of each partition's elements."""
        from .isa._columns import columns
        if self.is_indirect() or self.columns is not None or self.buffer in HBM:
            raise _core.validation_error(f"indirect() of `{self.name}`: expected a tensor on chip that is not indirect already")
        count = columns(self, index, num_elem)
        result = self._with(self._view.pattern([(self.strides[0], self.shape[0]), (0, count)], self.offset, None))
        result.columns = (self, index, count)
        return result

    def view(self, dtype):
        return self._with(self._view.reinterpret(str(dtype_of(dtype))))

    reinterpret_cast = view

    def ap(self, pattern, offset=None, scalar_offset=None, vector_offset=None, indirect_dim=0, dtype=None):
        if scalar_offset is not None:
            if vector_offset is not None:
                raise _core.validation_error("ap: scalar_offset and vector_offset exclude each other")
            self._check_movable(indirect_dim)
            step = self._view.storage_type_bytes
            for size in self._view.storage_shape[indirect_dim % len(self._view.storage_shape) + 1:]:
                step *= size
            return self.ap(pattern, offset=offset, dtype=dtype)._moved(scalar_offset, step)
        if vector_offset is not None:
            return self._indexed_rows(pattern, offset, vector_offset, indirect_dim, dtype)
        pairs = _pairs(pattern)
        kind = None if dtype is None else str(dtype_of(dtype))
        return self._with(self._view.pattern(pairs, None if offset is None else _index(offset), kind))

    def _check_movable(self, dim):
        if self.buffer not in HBM and dim % max(1, len(self._view.storage_shape)) == 0:
            raise _core.not_supported("an offset that moves a view on chip to other partitions")

    def _moved(self, by, step):
        """The view moved at run time by a register or a tensor [1, 1], times `step` bytes."""
        if hasattr(by, "frozen"):
            return self._with(self._view.moved_by_register(by.number, step))
        if not isinstance(by, NkiTensor):
            raise _core.validation_error(f"scalar_offset must be a register or a tensor, got {type(by).__name__}")
        word = by if by.ndim == 2 or by.size != 1 else by.reshape(1, 1)
        return self._with(self._view.moved_by_word(word._view, step))

    def _indexed_rows(self, pattern, offset, vector_offset, indirect_dim, dtype):
        """Row vector_offset[p] of the storage for partition p; the first pair only says how many there are."""
        if not isinstance(vector_offset, NkiTensor):
            raise _core.validation_error(f"ap: vector_offset must be a tensor, got {type(vector_offset).__name__}")
        shape = self._view.storage_shape
        if self.buffer not in HBM or not 0 <= indirect_dim < len(shape):
            raise _core.not_supported(f"ap(vector_offset=, indirect_dim={indirect_dim}) of `{self.name}`{list(shape)} in "
                                      f"'{self.buffer}': other than of a dimension of a tensor in HBM")
        pairs = _pairs(pattern)
        pairs[0] = (0, pairs[0][1])
        kind = None if dtype is None else str(dtype_of(dtype))
        result = self._with(self._view.pattern(pairs, None if offset is None else _index(offset), kind))
        step = self._view.storage_type_bytes
        for size in shape[indirect_dim + 1:]:
            step *= size
        result.row_index = vector_offset
        result.rows = (step // result.itemsize, shape[indirect_dim])
        return result

    def _rows_of(self, pairs, index=None):
        """Other elements from the place on where the rows begin, by the same index or another."""
        count = self.shape[0] if index is None else index.shape[0]
        result = NkiTensor(self._view.pattern([(0, count)] + pairs, self.offset, None), self.buffer, self._trace)
        result.row_index, result.rows = self.row_index if index is None else index, self.rows
        return result

    def is_contiguous(self):
        return self._view.is_contiguous()

    def is_indirect(self):
        return self.row_index is not None or self.columns is not None or self._view.is_moved

    def get_pattern(self):
        return [[step, count] for step, count in zip(self.strides, self.shape)]


def _refused(symbol):
    def operator(self, *_):
        raise self._no_operator(symbol)
    return operator


for _symbol, _names in {"+": ("add", "radd", "iadd"), "-": ("sub", "rsub", "isub"), "*": ("mul", "rmul", "imul"),
                        "/": ("truediv", "rtruediv", "itruediv"), "@": ("matmul", "rmatmul", "imatmul"),
                        "**": ("pow", "rpow", "ipow"), "//": ("floordiv", "rfloordiv", "ifloordiv"),
                        "%": ("mod", "rmod", "imod"), "unary -": ("neg",), ">": ("gt",), "<": ("lt",), ">=": ("ge",), "<=": ("le",)}.items():
    for _name in _names:
        setattr(NkiTensor, f"__{_name}__", _refused(_symbol))


def new_tensor(shape, dtype, buffer, name="", address=None):
    """An uninitialised tensor of the kernel that is being traced."""
    trace = _trace.current("a tensor")
    if isinstance(shape, int):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)):
        raise _core.validation_error(f"shape {_messages.shortened(shape)}: expected sizes, as in (128, 512)")
    sizes = [_index(n) for n in shape]
    kind, name = str(dtype_of(dtype)), _checked_name(name) or _trace.assigned_name()
    buffer = _buffer(buffer)
    if buffer in HBM:
        if address is not None:
            raise _core.not_supported("an address in HBM")
        view = trace.core.hbm(name, 0, kind, sizes, trace.place())
        if buffer == shared_hbm and trace.cores > 1:
            view.set_shared()
        return NkiTensor(view, buffer, trace)
    if address is not None:
        if not isinstance(address, (tuple, list)) or len(address) != 2:
            raise _core.validation_error(f"address {_messages.shortened(address)}: expected a partition and a byte in it")
        address = tuple(_index(n) for n in address)
        if min(address) < 0 or max(address) >= 1 << 31:
            raise _core.validation_error(f"address {address}: expected a partition and a byte in it")
    return NkiTensor(trace.core.on_chip(name, str(buffer), kind, sizes, address, trace.place()), buffer, trace)


_MOST_NAME = 200  # characters


def _checked_name(name):
    if name is None:
        return None
    if not isinstance(name, str):
        raise _core.validation_error(f"name={_messages.shortened(name)}: expected a string")
    if len(name) > _MOST_NAME or not name.isprintable():
        raise _core.validation_error(f"name {ascii(name[:_MOST_NAME])}: expected at most {_MOST_NAME} printable characters")
    return name


def _buffer(buffer):
    for known in (sbuf, psum) + HBM:
        if buffer == known:
            return known
    raise _core.not_supported(f"buffer={buffer!r}")
