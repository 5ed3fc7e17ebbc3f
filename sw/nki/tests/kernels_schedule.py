# SPDX-License-Identifier: Apache-2.0
"""Kernels whose order matters."""
import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

P = 128
KEYS = 512


@nki.jit
def attention(q_t, k_t, v):
    """softmax(q k^T) v with q_t, k_t [d, n], v [n, d]; the author thinks of one tile of queries after the other."""
    d, n = q_t.shape
    out = nl.ndarray((n, d), dtype=v.dtype, buffer=nl.shared_hbm)
    keys = nl.load(k_t)
    values = nl.ndarray((P, n // P, d), dtype=v.dtype, buffer=nl.sbuf)
    for j in nl.affine_range(n // P):
        nisa.dma_copy(dst=values[:, j, :], src=v[j * P:(j + 1) * P, :])
    for i in nl.affine_range(n // P):
        q = nl.load(q_t[:, i * P:(i + 1) * P])
        scores = nl.ndarray((P, n), dtype=nl.float32, buffer=nl.sbuf)
        tops = nl.ndarray((P, n // KEYS), dtype=nl.float32, buffer=nl.sbuf)
        for j in nl.affine_range(n // KEYS):
            product = nl.ndarray((P, KEYS), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=product, stationary=q, moving=keys[:, j * KEYS:(j + 1) * KEYS])
            nisa.tensor_reduce(dst=tops[:, j:j + 1], op=nl.maximum, data=product, axis=1)
            nisa.tensor_copy(dst=scores[:, j * KEYS:(j + 1) * KEYS], src=product)
        top = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=top, op=nl.maximum, data=tops, axis=1, negate=True)
        weights = nl.ndarray((P, n), dtype=nl.bfloat16, buffer=nl.sbuf)
        total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=weights, op=nl.exp, data=scores, reduce_op=nl.add, reduce_res=total, bias=top)
        result = nl.ndarray((P, d), dtype=nl.float32, buffer=nl.psum)
        for j in nl.affine_range(n // P):
            turned = nl.ndarray((P, P), dtype=nl.bfloat16, buffer=nl.psum)
            nisa.nc_transpose(dst=turned, data=weights[:, j * P:(j + 1) * P])
            moved = nl.ndarray((P, P), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.tensor_copy(dst=moved, src=turned)
            nisa.nc_matmul(dst=result, stationary=moved, moving=values[:, j, :])
        nisa.reciprocal(dst=total, data=total)
        tile = nl.ndarray((P, d), dtype=v.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=tile, data=result, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=out[i * P:(i + 1) * P, :], src=tile)
    return out


@nki.jit
def rms_norm(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    for i in nl.affine_range(rows // P):
        tile = nl.load(x[i * P:(i + 1) * P, :])
        squares = nl.ndarray((P, columns), dtype=nl.float32, buffer=nl.sbuf)
        scale = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=scale)
        nisa.tensor_scalar(dst=scale, data=scale, op0=nl.multiply, operand0=1.0 / columns, op1=nl.add, operand1=1e-6)
        nisa.activation(dst=scale, op=nl.rsqrt, data=scale)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=scale)
        nisa.dma_copy(dst=out[i * P:(i + 1) * P, :], src=tile)
    return out


@nki.jit
def silu(x):
    """x times sigmoid(x), tiles of 128 x 1024."""
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    for i in nl.affine_range(rows // P):
        for j in nl.affine_range(0, columns, 1024):
            tile = nl.load(x[i * P:(i + 1) * P, j:j + 1024])
            gate = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
            nisa.activation(dst=gate, op=nl.sigmoid, data=tile)
            nisa.tensor_tensor(dst=tile, data1=tile, data2=gate, op=nl.multiply)
            nl.store(out[i * P:(i + 1) * P, j:j + 1024], tile)
    return out


@nki.jit
def through_hbm(x, y):
    """gelu(x) + y, with gelu(x) in HBM in between: its load waits for its store."""
    middle = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // P):
        tile = nl.load(x[i * P:(i + 1) * P, :])
        nisa.activation(dst=tile, op=nl.gelu, data=tile)
        nisa.dma_copy(dst=middle[i * P:(i + 1) * P, :], src=tile)
        back = nl.load(middle[i * P:(i + 1) * P, :])
        other = nl.load(y[i * P:(i + 1) * P, :])
        nisa.tensor_tensor(dst=back, data1=back, data2=other, op=nl.add)
        nl.store(out[i * P:(i + 1) * P, :], back)
    return out


@nki.jit
def wide_rows(left_t, right):
    """left_t [K, 128], right [K, N] in rows of 2 KiB: one generator of descriptors would be the bound."""
    k, n = right.shape
    out = nl.ndarray((P, n), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((P, k // P, P), dtype=left_t.dtype, buffer=nl.sbuf)
    for step in range(k // P):
        nisa.dma_copy(dst=left[:, step, :], src=left_t[step * P:(step + 1) * P, :])
    for j in range(0, n, 1024):
        sums = [nl.ndarray((P, 512), nl.float32, buffer=nl.psum) for _ in range(2)]
        for step in range(k // P):
            tile = nl.load(right[step * P:(step + 1) * P, j:j + 1024])
            for half in range(2):
                nisa.nc_matmul(dst=sums[half], stationary=left[:, step, :],
                               moving=tile[:, half * 512:(half + 1) * 512])
        for half in range(2):
            moved = nl.ndarray((P, 512), nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=moved, src=sums[half])
            nl.store(out[:, j + half * 512:j + (half + 1) * 512], moved)
    return out


class _Nothing:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


@nki.jit
def late_copy(x, block):
    """Vector could do the second tensor_scalar while the first waits for a long chain on Scalar."""
    out = nl.ndarray((2,) + x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    first, second = nl.load(x), nl.load(x)
    with nl.no_reorder() if block else _Nothing():
        for _ in range(4):
            nisa.activation(dst=first, op=nl.relu, data=first)
        nisa.tensor_scalar(dst=first, data=first, op0=nl.multiply, operand0=2.0)
        nisa.tensor_scalar(dst=second, data=second, op0=nl.multiply, operand0=3.0)
    nl.store(out[0], first)
    nl.store(out[1], second)
    return out


@nki.jit
def many_large(x):
    """Tiles of 32 KiB per partition, two live at a time."""
    out = nl.ndarray((12,) + x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(12):
        tile = nl.load(x)
        moved = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=moved, data=tile, op0=nl.multiply, operand0=float(i))
        nl.store(out[i], moved)
    return out


COLUMNS = 64


def random_input(seed):
    return np.random.default_rng(seed).integers(-8, 8, (P, COLUMNS)).astype(np.float32)


def random_kernel(seed):
    """The kernel, and its results by numpy: forty random copies, sums and transfers between interleaved views of four
    tiles, two of which share bytes."""
    shared = 24  # elements between the starts of the two
    expected = []

    @nki.jit
    def kernel(x):
        random = np.random.default_rng(seed)
        out = nl.ndarray((4,) + x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        scratch = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.private_hbm)
        tiles = [nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf) for _ in range(2)]
        tiles += [nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf, address=(0, 1024 + 4 * shared * i))
                  for i in range(2)]
        both = np.zeros((P, COLUMNS + shared), np.float32)
        values = [np.zeros((P, COLUMNS), np.float32) for _ in range(2)] + [both[:, :COLUMNS], both[:, shared:]]
        for tile, value in zip(tiles, values):
            nisa.dma_copy(dst=tile, src=x)
            value[:] = random_input(seed)
        nisa.dma_copy(dst=scratch, src=x)
        stored = random_input(seed)

        def view():
            first = 0 if random.random() < 0.6 else 64
            step = 1 + random.integers(3)
            start = random.integers(0, COLUMNS - 16 * step + 1)
            return slice(first, first + 64), slice(start, start + 16 * step, step)

        def pair():
            while True:
                (a, b), (i, j) = random.integers(4, size=2), (view(), view())
                if not np.shares_memory(values[a][i], values[b][j]):
                    return tiles[a][i], values[a][i], tiles[b][j], values[b][j]

        for _ in range(40):
            kind = random.integers(6)
            dst, dst_value, src, src_value = pair()
            if kind == 0:
                place = view()
                nisa.dma_copy(dst=scratch[place], src=src)
                stored[place] = src_value
            elif kind == 1:
                place = view()
                nisa.dma_copy(dst=dst, src=scratch[place])
                dst_value[:] = stored[place]
            elif kind == 2:
                nisa.activation(dst=dst, op=nl.relu, data=src)
                dst_value[:] = np.maximum(src_value, 0)
            elif kind == 3:
                nisa.tensor_copy(dst=dst, src=src, engine=nisa.engine.gpsimd)
                dst_value[:] = src_value
            else:
                more = float(random.integers(5))
                nisa.tensor_scalar(dst=dst, data=src, op0=nl.add, operand0=more)
                dst_value[:] = src_value + np.float32(more)
        for i, tile in enumerate(tiles):
            nl.store(out[i], tile)
        expected[:] = [np.stack(values)]
        return out
    return kernel, expected


@nki.jit
def even_and_odd(x, apart):
    """Scalar works on the even columns of a tile, Vector on the odd ones: of the same tile, or of another."""
    out = nl.ndarray((2,) + x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.load(x), nl.load(x)]
    other = tiles[1] if apart else tiles[0]
    for _ in range(8):
        nisa.activation(dst=tiles[0][:, 0::2], op=nl.relu, data=tiles[0][:, 0::2])
        nisa.tensor_scalar(dst=other[:, 1::2], data=other[:, 1::2], op0=nl.add, operand0=1.0)
    for i, tile in enumerate(tiles):
        nl.store(out[i], tile)
    return out
