# SPDX-License-Identifier: Apache-2.0
"""Products and transposes."""
from .. import _core
from ._call import engine_name, record, tensor
from .constants import engine as engines
from .constants import matmul_perf_mode

_WHOLE = 128


def nc_matmul(dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False,
              accumulate=None, tile_position=(), tile_size=(), perf_mode=matmul_perf_mode.none, name=None):
    operands = [tensor(dst, "dst", "nc_matmul"), tensor(stationary, "stationary", "nc_matmul"),
                tensor(moving, "moving", "nc_matmul")]
    if is_transpose:
        raise _core.not_supported("nc_matmul(is_transpose=True): nc_transpose() is the same")
    if getattr(perf_mode, "value", perf_mode) not in (None, "none"):
        raise _core.not_supported(f"nc_matmul(perf_mode={getattr(perf_mode, 'value', perf_mode)})")
    options = {"accumulate": accumulate}
    if tile_size or tile_position:
        size = tuple(tile_size) or (_WHOLE, _WHOLE)
        position = tuple(tile_position) or (0, 0)
        options["numbers"] = [int(n) for n in position + size]
    record("nc_matmul", operands, options, name)


def nc_transpose(dst, data, engine=engines.unknown, name=None):
    record("nc_transpose", [tensor(dst, "dst", "nc_transpose"), tensor(data, "data", "nc_transpose")],
           {"engine": engine_name(engine)}, name)
