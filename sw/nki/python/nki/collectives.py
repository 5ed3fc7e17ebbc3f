# SPDX-License-Identifier: Apache-2.0
"""Collectives between the ranks that nki.run_ranks launches (docs/nki.md)."""
import operator

from . import _core, _trace
from .isa._call import tensor
from .isa._operators import op_name

# In the order of sw/collectives/operation.h.
_ALL_REDUCE, _ALL_GATHER, _REDUCE_SCATTER, _ALL_TO_ALL, _PERMUTE = 0, 1, 2, 3, 6


class ReplicaGroup:
    def __init__(self, groups):
        self.groups = groups


def all_reduce(srcs, dsts, replica_group, op, priority=0, name=None):
    _only_adds("all_reduce", op)
    _record("all_reduce", _ALL_REDUCE, srcs, dsts, _groups("all_reduce", replica_group), priority, name, lambda s, n: s)


def all_gather(srcs, dsts, replica_group, collective_dim, priority=0, name=None):
    _first("all_gather", collective_dim)
    _record("all_gather", _ALL_GATHER, srcs, dsts, _groups("all_gather", replica_group), priority, name,
            lambda s, n: (s[0] * n,) + s[1:])


def reduce_scatter(srcs, dsts, replica_group, collective_dim, op, priority=0, name=None):
    _first("reduce_scatter", collective_dim)
    _only_adds("reduce_scatter", op)
    _record("reduce_scatter", _REDUCE_SCATTER, srcs, dsts, _groups("reduce_scatter", replica_group), priority, name,
            lambda s, n: (_divided("reduce_scatter", s, n),) + s[1:])


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


def _divided(function, shape, count):
    if shape[0] % count != 0:
        raise _core.validation_error(f"{function}: dimension 0 of {list(shape)} does not divide among {count} ranks")
    return shape[0] // count


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
    srcs, dsts = (list(t) if isinstance(t, (list, tuple)) else [t] for t in (srcs, dsts))
    if len(srcs) != len(dsts) or not srcs:
        raise _core.validation_error(f"{function}: {len(srcs)} srcs and {len(dsts)} dsts")
    if priority not in range(4):
        raise _core.validation_error(f"{function}: priority {priority}: expected 0 to 3")
    for src, dst in zip(srcs, dsts):
        operands = [tensor(dst, "dsts", function), tensor(src, "srcs", function)]
        if str(src.dtype) != str(dst.dtype) or tuple(dst.shape) != tuple(shape_of(tuple(src.shape), groups[0])):
            raise _core.validation_error(f"{function}: src{list(src.shape)} of {src.dtype} does not give dst{list(dst.shape)} of "
                                         f"{dst.dtype}")
        if (src.buffer == "sbuf" or dst.buffer == "sbuf") and (operation != _ALL_REDUCE or src.buffer != dst.buffer):
            raise _core.not_supported(f"nki.collectives.{function} from '{src.buffer}' to '{dst.buffer}'")
        trace.record("collective", [("dst", operands[0][1]), ("src", operands[1][1])],
                     {"numbers": [operation, groups[0], *groups[1]], "value": int(priority)}, name)


def _refuse(name):
    def call(*_, **__):
        raise _core.not_supported(f"nki.collectives.{name}")
    call.__name__ = name
    return call


for _name in ("all_gather_v", "all_to_all_v", "collective_permute_implicit", "collective_permute_implicit_reduce",
              "collective_permute_implicit_current_processing_rank_id"):
    globals()[_name] = _refuse(_name)
