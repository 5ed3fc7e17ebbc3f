# SPDX-License-Identifier: Apache-2.0
"""Products and transposes."""
import os
import re

from .. import _core, _messages
from ._call import engine_name, record, tensor
from .constants import engine as engines
from .constants import matmul_perf_mode

_WHOLE = 128


def _tile(options, tile_position, tile_size):
    """Row, column, rows and columns of the part of the array."""
    if tile_size or tile_position:
        size = tuple(tile_size or ()) or (_WHOLE, _WHOLE)
        position = tuple(tile_position or ()) or (0, 0)
        if len(size) != 2 or len(position) != 2 or min(size + position) < 0:
            raise _core.validation_error(f"tile_position {position}, tile_size {size}: expected rows and columns of each")
        options["numbers"] = [int(n) for n in position + size]


def nc_matmul(dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False,
              accumulate=None, tile_position=(), tile_size=(), perf_mode=matmul_perf_mode.none, name=None):
    operands = [tensor(dst, "dst", "nc_matmul"), tensor(stationary, "stationary", "nc_matmul"),
                tensor(moving, "moving", "nc_matmul")]
    if is_transpose:
        return nc_transpose(dst, stationary, engines.tensor, name)  # moving is the identity
    options = {"accumulate": accumulate}
    mode = getattr(perf_mode, "value", perf_mode) or "none"
    if mode not in ("none", "double_row"):
        raise _core.not_supported(f"nc_matmul(perf_mode={mode})")
    options["double_row"] = mode == "double_row"
    _tile(options, tile_position, tile_size)
    return record("nc_matmul", operands, options, name)


def nc_transpose(dst, data, engine=engines.unknown, name=None):
    record("nc_transpose", [tensor(dst, "dst", "nc_transpose"), tensor(data, "data", "nc_transpose")],
           {"engine": engine_name(engine)}, name)


def _without_headroom():
    """Of NKI before 0.5, the version that TERN_NKI_VERSION names."""
    version = os.environ.get("TERN_NKI_VERSION") or "0.6"
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){1,2}", version):
        raise _core.validation_error(f"TERN_NKI_VERSION={_messages.shortened(version)}: expected a version, as 0.4")
    return [int(n) for n in version.split(".")[:2]] < [0, 5]


def quantize_mx(dst, src, dst_scale, name=None):
    record("quantize_mx", [tensor(dst, "dst", "quantize_mx"), tensor(src, "src", "quantize_mx"),
                           tensor(dst_scale, "dst_scale", "quantize_mx")],
           {"ocp_scales": _without_headroom()}, name)


def _check_rows(function, stationary, tile_position, tile_size):
    """MX products: their tiles are parts of the rows, on all columns."""
    size, position = tuple(tile_size or (_WHOLE, _WHOLE)), tuple(tile_position or (0, 0))
    if len(size) != 2 or size[0] not in (32, 64, _WHOLE) or size[1] != _WHOLE:
        raise _core.validation_error(f"{function}: tile_size {size}: expected 32, 64 or 128 rows, and 128 columns")
    if len(position) != 2 or position[0] % size[0] or not 0 <= position[0] < _WHOLE or position[1] != 0:
        raise _core.validation_error(f"{function}: tile_position {position} for tile_size {size}")
    if stationary.shape[0] > size[0]:
        raise _core.validation_error(f"{function}: stationary{list(stationary.shape)} does not fit tile_size {size}")


def nc_matmul_mx(dst, stationary, moving, stationary_scale, moving_scale, tile_position=None, tile_size=None,
                 accumulate=None, name=None):
    function = "nc_matmul_mx"
    _check_rows(function, stationary, tile_position, tile_size)
    options = {"accumulate": accumulate}
    _tile(options, tile_position, tile_size)
    record(function, [tensor(dst, "dst", function), tensor(stationary, "stationary", function),
                      tensor(moving, "moving", function), tensor(stationary_scale, "stationary_scale", function),
                      tensor(moving_scale, "moving_scale", function)], options, name)
