# SPDX-License-Identifier: Apache-2.0
"""Products and transposes, whose results are in PSUM."""
from nki import _core, isa as new
from nki.isa.constants import engine as engines
from nki.tensor import new_tensor, psum, sbuf

from .. import _pending
from .._index import Box, Mask
from ._call import leaves_nothing, tile


def _dimensions(position, term, operands):
    """The operands' dimensions that an index of a mask means: that of its nl.arange, else the only one of its size."""
    every = [(at, d) for at, operand in enumerate(operands) for d in range(operand.ndim)]
    found = [(at, d) for at, d in every if operands[at].origins(d) & term.origins]
    if not found:
        found = [(at, d) for at, d in every if operands[at].shape[d] == term.count and (d == 0) == (position == -2)]
        if len({d > 0 and at for at, d in found}) != 1:
            raise _core.not_supported("nc_matmul with a mask of other indices than its operands'")
    return found


def _cuts(mask, operands):
    """Parts of both operands that a mask leaves; whether there are none."""
    parts, is_empty = ({}, {}), mask is False
    for condition in getattr(mask, "conditions", ()):
        box = Box(Mask([condition]), lambda position: None)
        is_empty = is_empty or box.is_empty
        for position, part in box.parts.items():
            for at, d in _dimensions(position, condition[0].terms[position], operands):
                low, high = parts[at].get(d, part)
                parts[at][d] = (max(low, part[0]), min(high, part[1]))
    contracted = [cut[0] for cut in parts if 0 in cut]
    for cut in parts:
        if contracted:
            cut[0] = contracted[0]
    return parts, is_empty


def nc_matmul(stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False,
              tile_position=(), tile_size=(), mask=None, **unknown):
    tile(stationary, "stationary", "nc_matmul")
    tile(moving, "moving", "nc_matmul")
    if unknown.get("perf_mode"):
        raise _core.not_supported("nc_matmul(perf_mode=) of NKI 0.1")
    if is_transpose:
        return nc_transpose(stationary, mask=mask, engine=engines.tensor)  # moving is the identity
    (of_stationary, of_moving), is_empty = _cuts(mask, (stationary, moving))
    columns = 1
    for n in stationary.shape[1:]:
        columns *= n
    shape = (columns,) + tuple(moving.shape[1:])

    def record(target, adds=False):
        if is_empty:
            return
        parts = {d: part for d, part in of_moving.items() if d > 0}
        if 1 in of_stationary:
            parts[0] = of_stationary[1]
        dst = target.view(parts)
        columns_at = int(tile_position[1]) if len(tile_position) == 2 else 0
        elsewhere = columns_at != dst._view.first_partition
        if elsewhere and adds:
            raise _core.not_supported(f"a sum of products of columns {columns_at} of the array on other partitions")
        made = dst
        if elsewhere:  # results are on the partitions of the array's columns
            made = new_tensor((columns_at + dst.shape[0],) + tuple(dst.shape[1:]), dst.dtype, psum)
            made = made[columns_at:columns_at + dst.shape[0]]
        new.nc_matmul(dst=made, stationary=_pending.in_sbuf(stationary.view(of_stationary)),
                      moving=_pending.in_sbuf(moving.view(of_moving)), accumulate=None if adds else False,
                      tile_position=tile_position, tile_size=tile_size)
        if elsewhere:
            new.tensor_copy(dst=dst, src=made)
    return _pending.later(shape, "float32", record, [stationary, moving], buffer=psum, buffers=(psum,), in_place=False,
                          is_product=True)


_ON_VECTOR = 32


def nc_transpose(data, mask=None, dtype=None, engine=engines.unknown, **_):
    tile(data, "data", "nc_transpose")
    is_empty = leaves_nothing(mask, "nc_transpose")
    columns = 1
    for n in data.shape[1:]:
        columns *= n
    on_vector = engine == engines.vector or data.buffer == psum and max(data.shape[0], columns) <= _ON_VECTOR
    memory = sbuf if on_vector else psum
    kind = engines.vector if on_vector else engines.tensor

    def record(target):
        if is_empty:
            return
        source = data.view()
        new.nc_transpose(dst=target.view(), data=source if on_vector else _pending.in_sbuf(source), engine=kind)
    return _pending.later((columns, data.shape[0]), dtype or data.dtype, record, [data], buffer=memory, buffers=(memory,),
                          in_place=False)


