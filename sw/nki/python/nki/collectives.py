# SPDX-License-Identifier: Apache-2.0
"""Collectives between the ranks that nki.run_ranks launches (docs/nki.md)."""
import operator

from . import _core, _trace
from . import isa as nisa
from . import language as nl
from .isa._call import tensor
from .isa._operators import op_name

# In the order of sw/collectives/operation.h.
_ALL_REDUCE, _ALL_GATHER, _REDUCE_SCATTER, _ALL_TO_ALL, _PERMUTE = 0, 1, 2, 3, 6
_CHANNELS = 4  # of an implicit permute


class ReplicaGroup:
    def __init__(self, groups):
        self.groups = groups


def all_reduce(srcs, dsts, replica_group, op, priority=0, name=None):
    _only_adds("all_reduce", op)
    _record("all_reduce", _ALL_REDUCE, srcs, dsts, _groups("all_reduce", replica_group), priority, name, lambda s, n: s)


def all_gather(srcs, dsts, replica_group, collective_dim, priority=0, name=None):
    groups = _groups("all_gather", replica_group)
    tiles = _tiles("all_gather", srcs, dsts, collective_dim)
    if not tiles:
        return _record("all_gather", _ALL_GATHER, srcs, dsts, groups, priority, name, lambda s, n: (s[0] * n,) + s[1:])
    src, dst = tiles
    rows, columns = src.shape
    count = groups[0]
    _same("all_gather", src, dst, (count * rows, columns) if collective_dim == 0 else (rows, count * columns))
    own, whole = _scratch(src.shape, src.dtype), _scratch((count * rows, columns), src.dtype)
    nisa.dma_copy(dst=own, src=src)
    _record("all_gather", _ALL_GATHER, own, whole, groups, priority, name, lambda s, n: (s[0] * n,) + s[1:])
    if collective_dim == 0:
        return nisa.dma_copy(dst=dst, src=whole)
    for part in range(count):
        nisa.dma_copy(dst=dst[:, part * columns:(part + 1) * columns], src=whole[part * rows:(part + 1) * rows, :])


def reduce_scatter(srcs, dsts, replica_group, collective_dim, op, priority=0, name=None):
    _only_adds("reduce_scatter", op)
    groups = _groups("reduce_scatter", replica_group)
    tiles = _tiles("reduce_scatter", srcs, dsts, collective_dim)
    if not tiles:
        return _record("reduce_scatter", _REDUCE_SCATTER, srcs, dsts, groups, priority, name,
                       lambda s, n: (_divided("reduce_scatter", s, n),) + s[1:])
    src, dst = tiles
    count = groups[0]
    rows, columns = src.shape
    divided = _divided("reduce_scatter", src.shape, count, collective_dim)
    part_of = (divided, columns) if collective_dim == 0 else (rows, divided)
    _same("reduce_scatter", src, dst, part_of)
    whole, own = _scratch((count * part_of[0], part_of[1]), src.dtype), _scratch(part_of, src.dtype)
    if collective_dim == 0:
        nisa.dma_copy(dst=whole, src=src)
    else:
        for part in range(count):
            nisa.dma_copy(dst=whole[part * rows:(part + 1) * rows, :], src=src[:, part * divided:(part + 1) * divided])
    _record("reduce_scatter", _REDUCE_SCATTER, whole, own, groups, priority, name,
            lambda s, n: (_divided("reduce_scatter", s, n),) + s[1:])
    nisa.dma_copy(dst=dst, src=own)


def all_to_all(srcs, dsts, replica_group, collective_dim, priority=0, name=None):
    _first("all_to_all", collective_dim)
    _record("all_to_all", _ALL_TO_ALL, srcs, dsts, _groups("all_to_all", replica_group), priority, name,
            lambda s, n: (_divided("all_to_all", s, n) * n,) + s[1:])


def collective_permute(srcs, dsts, source_target_pairs, priority=0, name=None):
    ranks = _current("collective_permute").ranks
    targets = [-1] * ranks
    for pair in _items("collective_permute", "source_target_pairs", source_target_pairs):
        pair = _numbers("collective_permute", "source_target_pairs", pair)
        if len(pair) != 2:
            raise _core.validation_error(f"collective_permute: source_target_pairs: {pair}: expected a source and a target")
        source, target = pair
        if not (0 <= source < ranks and 0 <= target < ranks) or source == target:
            raise _core.validation_error(f"collective_permute: from rank {source} to rank {target}, of {ranks}")
        if targets[source] != -1 or target in targets:
            raise _core.validation_error(f"collective_permute: rank {source} or {target} is in two pairs of one side")
        targets[source] = target
    _record("collective_permute", _PERMUTE, srcs, dsts, (ranks, targets), priority, name, lambda s, n: s)


def collective_permute_implicit(srcs_by_channel, dsts_by_channel, replica_group, channel_ids=(0,), priority=0, name=None):
    """To the next rank of the ring of each channel (_ring)."""
    function = "collective_permute_implicit"
    _ring_step(function, [srcs_by_channel, dsts_by_channel], replica_group, channel_ids,
               lambda src, dst, groups: _record(function, _PERMUTE, src, dst, groups, priority, name, lambda s, n: s))


def collective_permute_implicit_reduce(srcs0_by_channel, srcs1_by_channel, dsts_by_channel, replica_group, op,
                                       channel_ids=(0,), priority=0, name=None):
    """The sum of both sources to the next rank of the ring: made by the DMA engines, in HBM."""
    function = "collective_permute_implicit_reduce"
    _only_adds(function, op)

    def step(src0, src1, dst, groups):
        _same(function, src0, src1, src0.shape)
        reduced = _scratch(src0.shape, src0.dtype)
        nisa.dma_compute(dst=reduced, srcs=[src0, src1], reduce_op=nl.add)
        _record(function, _PERMUTE, reduced, dst, groups, priority, name, lambda s, n: s)
    _ring_step(function, [srcs0_by_channel, srcs1_by_channel, dsts_by_channel], replica_group, channel_ids, step)


def collective_permute_implicit_current_processing_rank_id(iteration_id, replica_group, channel_id=0, name=None, num_channels=1):
    """Whose data has come after so many steps of the channel's ring: a number, as that of rank_id."""
    function = "collective_permute_implicit_current_processing_rank_id"
    ring = _ring(function, replica_group, channel_id)
    try:
        iteration = operator.index(iteration_id)
    except TypeError:
        raise _core.not_supported(f"nki.collectives.{function} with an iteration_id that is no number of the trace") from None
    return ring[(ring.index(_current(function).rank) - iteration) % len(ring)]


def rank_id(name=None):
    """The rank of this program: a number, as each rank is traced by itself."""
    return _current("rank_id").rank


def _current(function):
    trace = _trace.current(f"nki.collectives.{function}")
    if trace.ranks == 1:
        raise _core.validation_error(f"{function} belongs into a kernel that runs on several ranks: nki.run_ranks(kernel, ..)")
    return trace


def _only_adds(function, op):
    if op_name(op) != "add":
        raise _core.not_supported(f"nki.collectives.{function} with op={op_name(op)}")


def _first(function, dimension):
    if dimension != 0:
        raise _core.not_supported(f"nki.collectives.{function} with collective_dim={dimension}")


def _divided(function, shape, count, dimension=0):
    if shape[dimension] % count != 0:
        raise _core.validation_error(f"{function}: dimension {dimension} of {list(shape)} does not divide among {count} ranks")
    return shape[dimension] // count


def _scratch(shape, dtype):
    return nl.ndarray(tuple(shape), dtype=dtype, buffer=nl.private_hbm)


def _list(tensors):
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _tiles(function, srcs, dsts, dimension):
    """Source and destination if they are one tile each in SBUF: they go through HBM, where ranks exchange. Otherwise nothing."""
    both = _list(srcs) + _list(dsts)
    inside = [tensor(t, "srcs", function)[1] is not None and t.buffer == "sbuf" for t in both]
    if not any(inside):
        _first(function, dimension)
        return None
    if not all(inside):
        raise _core.not_supported(f"nki.collectives.{function} between SBUF and HBM")
    if len(both) != 2 or any(len(t.shape) != 2 for t in both):
        raise _core.validation_error(f"{function}: in SBUF one tile of two dimensions each, got {[list(t.shape) for t in both]}")
    if dimension not in (0, 1):
        raise _core.not_supported(f"nki.collectives.{function} with collective_dim={dimension}")
    return both


def _same(function, src, dst, shape):
    if str(src.dtype) != str(dst.dtype) or tuple(dst.shape) != tuple(shape):
        raise _core.validation_error(f"{function}: src{list(src.shape)} of {src.dtype} does not give dst{list(dst.shape)} of "
                                     f"{dst.dtype}")


def _ring(function, replica_group, channel):
    """The ranks of this rank's group in the order in which data goes round: of odd channels the other way."""
    if channel not in range(_CHANNELS):
        raise _core.validation_error(f"{function}: channel {channel}: expected 0 to {_CHANNELS - 1}")
    size, flat = _groups(function, replica_group)
    at = flat.index(_current(function).rank) // size * size
    ring = flat[at:at + size]
    return ring if channel % 2 == 0 else ring[::-1]


def _ring_step(function, operands, replica_group, channel_ids, step):
    """Calls step(tensor of each operand, permute of all groups) for every channel."""
    channels = _numbers(function, "channel_ids", channel_ids)
    operands = [_items(function, "tensors by channel", operand) for operand in operands]
    if any(len(operand) != len(channels) for operand in operands) or len(set(channels)) != len(channels) or not channels:
        raise _core.validation_error(f"{function}: channel_ids {channels}: expected different ones, and a list of tensors for each")
    size, flat = _groups(function, replica_group)
    ranks = _current(function).ranks
    for at, channel in enumerate(channels):
        _ring(function, replica_group, channel)
        way = 1 if channel % 2 == 0 else -1
        targets = [-1] * ranks
        for place, rank in enumerate(flat):
            first = place // size * size
            targets[rank] = flat[first + (place - first + way) % size]
        tensors = [_list(operand[at]) for operand in operands]
        if any(len(one) != 1 for one in tensors):
            raise _core.validation_error(f"{function}: channel {channel}: expected one tensor in each list")
        step(*(one[0] for one in tensors), (ranks, targets))


def _groups(function, replica_group):
    """Ranks of a group, and the groups one after the other."""
    ranks = _current(function).ranks
    groups = [_numbers(function, "replica_group", group)
              for group in _items(function, "replica_group", getattr(replica_group, "groups", replica_group))]
    flat = [rank for group in groups for rank in group]
    if not groups or len({len(group) for group in groups}) != 1 or len(groups[0]) < 2:
        raise _core.validation_error(f"{function}: replica_group {groups}: expected groups of one size, of two ranks at least")
    if len(set(flat)) != len(flat) or not set(flat) <= set(range(ranks)):
        raise _core.validation_error(f"{function}: replica_group {groups}: expected different ranks from 0 to {ranks - 1}")
    if _current(function).rank not in flat:
        raise _core.validation_error(f"{function}: replica_group {groups}: rank {_current(function).rank} is in none, and calls it")
    return len(groups[0]), flat


def _items(function, what, value):
    if not isinstance(value, (list, tuple)):
        raise _core.validation_error(f"{function}: {what}: expected a list, got {type(value).__name__}")
    return value


def _numbers(function, what, value):
    try:
        return [operator.index(number) for number in _items(function, what, value)]
    except TypeError:
        raise _core.validation_error(f"{function}: {what} {value!r}: expected whole numbers") from None


def _record(function, operation, srcs, dsts, groups, priority, name, shape_of):
    trace = _current(function)
    srcs, dsts = _list(srcs), _list(dsts)
    if len(srcs) != len(dsts) or not srcs:
        raise _core.validation_error(f"{function}: {len(srcs)} srcs and {len(dsts)} dsts")
    if priority not in range(4):
        raise _core.validation_error(f"{function}: priority {priority}: expected 0 to 3")
    for src, dst in zip(srcs, dsts):
        operands = [tensor(dst, "dsts", function), tensor(src, "srcs", function)]
        _same(function, src, dst, shape_of(tuple(src.shape), groups[0]))
        if (src.buffer == "sbuf" or dst.buffer == "sbuf") and (operation != _ALL_REDUCE or src.buffer != dst.buffer):
            raise _core.not_supported(f"nki.collectives.{function} from '{src.buffer}' to '{dst.buffer}'")
        trace.record("collective", [("dst", operands[0][1]), ("src", operands[1][1])],
                     {"numbers": [operation, groups[0], *groups[1]], "value": int(priority)}, name)


def _refuse(name):
    def call(*_, **__):
        raise _core.not_supported(f"nki.collectives.{name}")
    call.__name__ = name
    return call


for _name in ("all_gather_v", "all_to_all_v"):
    globals()[_name] = _refuse(_name)
