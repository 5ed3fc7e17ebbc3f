# SPDX-License-Identifier: Apache-2.0
"""nl.tile_size: limits of the chip that the kernel is built for."""
from .. import _core, _target, _trace

_PSUM_BANK_BYTES = 2048


class _TileSize:
    pmax = 128
    psum_fmax = psum_bank_fmax = 512
    psum_bank_fmax_bytes = psum_fmax_bytes = _PSUM_BANK_BYTES
    psum_num_banks = 8
    gemm_stationary_fmax = 128
    gemm_moving_fmax = 512
    bn_stats_fmax = 512
    psum_min_align = 4
    sbuf_min_align = 1

    @property
    def sbuf_size_bytes(self):
        if _trace.is_tracing():
            return _trace.current().core.sbuf_bytes
        return _core.Kernel("limits", _target.chosen().preset, _target.settings()).sbuf_bytes

    sbuf_fmax_bytes = total_available_sbuf_size = sbuf_size_bytes

    @property
    def sbuf_fmax(self):
        return self.sbuf_size_bytes // 4


tile_size = _TileSize()


class fp32:
    """nl.fp32.min, of older kernels."""
    min = -3.4028234663852886e38
