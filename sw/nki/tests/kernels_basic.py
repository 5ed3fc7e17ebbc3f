# SPDX-License-Identifier: Apache-2.0
"""Kernels of the tests, in the style of NKI 0.3 and later."""
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def add(a, b):
    """One tile."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    x = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.sbuf)
    y = nl.ndarray(b.shape, dtype=b.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=x, src=a)
    nisa.dma_copy(dst=y, src=b)
    nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def copy_strided(src, row_step, column_step):
    """Every row_step-th row and column_step-th column of src, reversed pairs of halves."""
    rows = (src.shape[0] + row_step - 1) // row_step
    columns = (src.shape[1] + column_step - 1) // column_step
    out = nl.ndarray((rows, columns), dtype=src.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, src.shape[1]), dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src[0:src.shape[0]:row_step, :])
    packed = nl.ndarray((rows, columns), dtype=src.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=packed, src=tile[:, 0:src.shape[1]:column_step])
    half = columns // 2
    nisa.dma_copy(dst=out[:, 0:half], src=packed[:, half:2 * half])
    nisa.dma_copy(dst=out[:, half:2 * half], src=packed[:, 0:half])
    return out


@nki.jit
def softmax(x):
    """Rows of any number, 128 at a time."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    for start in nl.affine_range(0, rows, nl.tile_size.pmax):
        count = min(nl.tile_size.pmax, rows - start)
        tile = nl.load(x[start:start + count, :])
        top = nl.ndarray((count, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=tile, axis=1, negate=True)
        total = nl.ndarray((count, 1), dtype=nl.float32, buffer=nl.sbuf)
        shifted = nl.ndarray((count, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=shifted, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total, bias=top)
        nisa.reciprocal(dst=total, data=total)
        nisa.tensor_scalar(dst=tile, data=shifted, op0=nl.multiply, operand0=total)
        nl.store(out[start:start + count, :], tile)
    return out


@nki.jit
def layer_norm(x, gamma, beta, epsilon):
    """Rows normalised; gamma and beta [1, columns] are spread over the partitions by a product with ones."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    ones = nl.ndarray((1, rows), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    spread = []
    for row in (gamma, beta):
        narrow = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=narrow, src=row)
        wide = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=wide, stationary=ones, moving=narrow)
        spread.append(wide)
    tile = nl.load(x)
    total = nl.sum(tile, axis=1, dtype=nl.float32, keepdims=True)
    mean = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=mean, data=total, op0=nl.multiply, operand0=1.0 / columns)
    centred = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=centred, data=tile, op0=nl.subtract, operand0=mean)
    squares = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    variance = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=squares, op=nl.square, data=centred, reduce_op=nl.add, reduce_res=variance)
    scale = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=scale, data=variance, op0=nl.multiply, operand0=1.0 / columns, op1=nl.add, operand1=epsilon)
    nisa.activation(dst=scale, op=nl.rsqrt, data=scale)
    nisa.tensor_scalar(dst=centred, data=centred, op0=nl.multiply, operand0=scale)
    nisa.tensor_tensor(dst=centred, data1=centred, data2=spread[0], op=nl.multiply)
    nisa.tensor_tensor(dst=centred, data1=centred, data2=spread[1], op=nl.add)
    nl.store(out, centred)
    return out


@nki.jit
def matmul_tiled(lhs_t, rhs):
    """[K, M]^T x [K, N], tiles of 128 x 128 x 512; products of one PSUM tile accumulate."""
    k, m = lhs_t.shape
    n = rhs.shape[1]
    out = nl.ndarray((m, n), dtype=rhs.dtype, buffer=nl.shared_hbm)
    tile_k, tile_m, tile_n = nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.gemm_moving_fmax
    for i in nl.affine_range(m // tile_m):
        for j in nl.affine_range(n // tile_n):
            result = nl.ndarray((tile_m, tile_n), dtype=nl.float32, buffer=nl.psum)
            for step in nl.affine_range(k // tile_k):
                left = nl.ndarray((tile_k, tile_m), dtype=lhs_t.dtype, buffer=nl.sbuf)
                right = nl.ndarray((tile_k, tile_n), dtype=rhs.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=left, src=lhs_t[nl.ds(step * tile_k, tile_k), nl.ds(i * tile_m, tile_m)])
                nisa.dma_copy(dst=right, src=rhs[nl.ds(step * tile_k, tile_k), nl.ds(j * tile_n, tile_n)])
                nisa.nc_matmul(dst=result, stationary=left, moving=right)
            moved = nl.ndarray((tile_m, tile_n), dtype=rhs.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=moved, src=result)
            nisa.dma_copy(dst=out[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], src=moved)
    return out


@nki.jit
def transpose(x):
    """[P, F] to [F, P] by the tensor engine."""
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    turned = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    nl.store(out, turned)
    return out


@nki.jit
def transpose_last(x, inner):
    """[P, a, b] to [P, b, a] by a view."""
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    turned = nl.ndarray((rows, inner, columns // inner), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=turned, src=tile.reshape((rows, columns // inner, inner)).permute((0, 2, 1)))
    nisa.dma_copy(dst=out, src=turned)
    return out
