# SPDX-License-Identifier: Apache-2.0
"""Statistics, searches, shuffles, random numbers."""
import inspect

from .. import _core
from ..tensor import new_tensor, sbuf
from ._call import engine_name, record, scalar, tensor
from ._element import tensor_copy
from .constants import engine as engines


def _plain(function, *roles):
    """A function of tensors alone."""
    parameters = [inspect.Parameter(role, inspect.Parameter.POSITIONAL_OR_KEYWORD) for role in roles]
    named = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    signature = inspect.Signature(parameters + [named])

    def call(*args, **kwargs):
        values = signature.bind(*args, **kwargs).arguments
        record(function, [tensor(values[role], role, function) for role in roles], {}, values.get("name"))
    call.__name__, call.__signature__ = function, signature
    return call


bn_stats = _plain("bn_stats", "dst", "data")
bn_aggr = _plain("bn_aggr", "dst", "data")
max8 = _plain("max8", "dst", "src")
nc_find_index8 = _plain("nc_find_index8", "dst", "data", "vals")
sequence_bounds = _plain("sequence_bounds", "dst", "segment_ids")
nc_n_gather = _plain("nc_n_gather", "dst", "data", "indices")


def nc_match_replace8(dst, data, vals, imm, dst_idx=None, name=None):
    function = "nc_match_replace8"
    if dst_idx is not None:
        # Of equal values the last one gets the first place: as a search for the values in reverse.
        turned, places = (new_tensor(vals.shape, kind, sbuf) for kind in (vals.dtype, dst_idx.dtype))
        tensor_copy(dst=turned, src=_reversed(vals))
        nc_find_index8(dst=places, data=data, vals=turned)
        tensor_copy(dst=dst_idx, src=_reversed(places))
    record(function, [tensor(dst, "dst", function), tensor(data, "data", function), tensor(vals, "vals", function)],
           {"value0": float(imm)}, name)


def _reversed(eight):
    """[P, 8], the last column first."""
    eight = eight if eight.ndim == 2 else eight.reshape(eight.shape[0], -1)
    step = eight.strides[1]
    return eight.ap([[eight.strides[0], eight.shape[0]], [-step, eight.shape[1]]],
                    offset=eight.offset + step * (eight.shape[1] - 1))


def nc_stream_shuffle(dst, src, shuffle_mask, name=None):
    mask = [int(n) for n in shuffle_mask]
    if len(mask) != 32 or any(not 0 <= n < 32 and n != 255 for n in mask):
        raise _core.validation_error("nc_stream_shuffle: shuffle_mask must have 32 numbers, 0 to 31 or 255")
    groups = [-(-t.shape[0] // 32) for t in (dst, src)]
    if groups[0] != groups[1] or dst.size // dst.shape[0] != src.size // src.shape[0]:
        raise _core.validation_error(f"nc_stream_shuffle: src{list(src.shape)} and dst{list(dst.shape)}: expected as many "
                                     "groups of 32 partitions, and elements per partition")
    last = src.shape[0] - 32 * (groups[1] - 1)
    if any(last <= n < 32 for n in mask[:dst.shape[0] - 32 * (groups[0] - 1)]):
        raise _core.validation_error(f"nc_stream_shuffle: shuffle_mask names partitions that src{list(src.shape)} has not")
    record("nc_stream_shuffle", [tensor(dst, "dst", "nc_stream_shuffle"), tensor(src, "src", "nc_stream_shuffle")],
           {"numbers": mask}, name)


def dropout(dst, data, prob, name=None):
    operands, options = [tensor(dst, "dst", "dropout"), tensor(data, "data", "dropout")], {}
    scalar(prob, "prob", "dropout", operands, options, "value0")
    record("dropout", operands, options, name)


def rng(dst, engine=engines.vector, name=None):
    record("rng", [tensor(dst, "dst", "rng")], {"engine": engine_name(engine)}, name)


def rand2(dst, min, max, name=None):  # noqa: A002: the names of the interface
    operands, options = [tensor(dst, "dst", "rand2")], {}
    scalar(min, "min", "rand2", operands, options, "value0")
    scalar(max, "max", "rand2", operands, options, "value1")
    record("rand2", operands, options, name)


def set_rng_seed(src_seeds, name=None):
    record("set_rng_seed", [tensor(src_seeds, "src", "set_rng_seed")], {"engine": "vector"}, name)


def rand_set_state(src_seeds, engine=engines.gpsimd, name=None):
    record("rand_set_state", [tensor(src_seeds, "src", "rand_set_state")], {"engine": engine_name(engine)}, name)


def rand_get_state(dst, engine=engines.gpsimd, name=None):
    record("rand_get_state", [tensor(dst, "dst", "rand_get_state")], {"engine": engine_name(engine)}, name)
