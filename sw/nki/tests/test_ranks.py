# SPDX-License-Identifier: Apache-2.0
"""Collectives between ranks: values, groups, orders, and what is refused."""
import unittest

import numpy as np

import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl

RANKS = 4
ALL = ncc.ReplicaGroup([list(range(RANKS))])
PAIRS = ncc.ReplicaGroup([[0, 2], [1, 3]])


def hbm(shape, dtype):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


@nki.jit
def summed(x, groups):
    out = hbm(x.shape, x.dtype)
    ncc.all_reduce(srcs=[x], dsts=[out], replica_group=groups, op=nl.add)
    return out


@nki.jit
def gathered(x):
    out = hbm((RANKS * x.shape[0],) + tuple(x.shape[1:]), x.dtype)
    ncc.all_gather(srcs=[x], dsts=[out], replica_group=ALL, collective_dim=0)
    return out


@nki.jit
def scattered(x):
    out = hbm((x.shape[0] // RANKS,) + tuple(x.shape[1:]), x.dtype)
    ncc.reduce_scatter(srcs=[x], dsts=[out], replica_group=ALL, collective_dim=0, op=np.add)
    return out


@nki.jit
def exchanged(x):
    out = hbm(x.shape, x.dtype)
    ncc.all_to_all(srcs=[x], dsts=[out], replica_group=ALL, collective_dim=0)
    return out


@nki.jit
def moved(x):
    out = hbm(x.shape, x.dtype)
    ncc.collective_permute(srcs=[x], dsts=[out], source_target_pairs=[(r, (r + 1) % RANKS) for r in range(RANKS)])
    return out


@nki.jit
def ring_of_products(x, w):
    """x @ w with rows of w divided among the ranks: they go round in a ring, in halves on two channels, both ways."""
    rows, inner = x.shape  # inner: all ranks' rows of w
    part, half = inner // RANKS, inner // RANKS // 2
    columns = w.shape[1]
    total = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    now = [w[c * half:(c + 1) * half, :] for c in range(2)]
    for step in range(RANKS):
        after = [nl.ndarray((half, columns), dtype=w.dtype, buffer=nl.private_hbm) for _ in range(2)]
        if step + 1 < RANKS:
            ncc.collective_permute_implicit([[t] for t in now], [[t] for t in after], ALL, channel_ids=[0, 1])
        for channel in range(2):
            owner = ncc.collective_permute_implicit_current_processing_rank_id(step, ALL, channel_id=channel)
            first = owner * part + channel * half
            a = nl.ndarray((half, rows), dtype=x.dtype, buffer=nl.sbuf)
            b = nl.ndarray((half, columns), dtype=w.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=a, src=x.ap([[1, half], [inner, rows]], offset=first))
            nisa.dma_copy(dst=b, src=now[channel])
            product = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_matmul(dst=product, stationary=a, moving=b)
            nisa.tensor_tensor(dst=total, data1=total, data2=product, op=nl.add)
        now = after
    out = hbm((rows, columns), nl.float32)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def in_tiles(x, dimension, scatter):
    """all_gather or reduce_scatter of a tile in SBUF."""
    src = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=src, src=x)
    shape = list(x.shape)
    shape[dimension] = shape[dimension] // RANKS if scatter else shape[dimension] * RANKS
    dst = nl.ndarray(tuple(shape), dtype=x.dtype, buffer=nl.sbuf)
    if scatter:
        ncc.reduce_scatter(srcs=[src], dsts=[dst], replica_group=ALL, collective_dim=dimension, op=nl.add)
    else:
        ncc.all_gather(srcs=[src], dsts=[dst], replica_group=ALL, collective_dim=dimension)
    out = hbm(tuple(shape), x.dtype)
    nisa.dma_copy(dst=out, src=dst)
    return out


@nki.jit
def computed(x, w):
    """A layer whose rows are divided among the ranks: the sum of the shares, scaled by the rank."""
    rows, columns = x.shape
    a = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    b = nl.ndarray(w.shape, dtype=w.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=w)
    product = nl.ndarray((columns, w.shape[1]), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=a, moving=b)
    share = nl.ndarray(product.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=share, src=product)
    whole = nl.ndarray(product.shape, dtype=nl.float32, buffer=nl.sbuf)
    ncc.all_reduce(srcs=[share], dsts=[whole], replica_group=ALL, op=nl.add)
    nisa.tensor_scalar(dst=whole, data=whole, op0=nl.multiply, operand0=float(ncc.rank_id() + 1))
    out = hbm(product.shape, nl.float32)
    nisa.dma_copy(dst=out, src=whole)
    return out


class Ranks(unittest.TestCase):
    places = {}  # of run_ranks()

    def setUp(self):
        random = np.random.default_rng(0)
        self.x = [random.integers(-100, 100, (8, 32)).astype(np.float32) for _ in range(RANKS)]

    def run_on(self, kernel, *more):
        return self.launch(kernel, [(x, *more) for x in self.x])

    def launch(self, kernel, arguments):
        return nki.run_ranks(kernel, arguments, **self.places)

    def test_all_reduce(self):
        for out in self.run_on(summed, ALL):
            np.testing.assert_array_equal(out, sum(self.x))
        self.assertGreater(summed.last_run.latency_us, 0)

    def test_groups(self):
        outs = self.run_on(summed, PAIRS)
        for rank, out in enumerate(outs):
            np.testing.assert_array_equal(out, self.x[rank] + self.x[(rank + 2) % RANKS])

    def test_bf16(self):
        want = sum(x // 8 for x in self.x)  # whole numbers that BF16 holds
        self.x = [nki.array(x // 8, nl.bfloat16) for x in self.x]
        for out in self.run_on(summed, ALL):
            np.testing.assert_array_equal(nki.as_float(out), want)

    def test_all_gather(self):
        for out in self.run_on(gathered):
            np.testing.assert_array_equal(out, np.concatenate(self.x))

    def test_reduce_scatter(self):
        for rank, out in enumerate(self.run_on(scattered)):
            np.testing.assert_array_equal(out, sum(self.x)[2 * rank:2 * rank + 2])

    def test_all_to_all(self):
        for rank, out in enumerate(self.run_on(exchanged)):
            np.testing.assert_array_equal(out, np.concatenate([x[2 * rank:2 * rank + 2] for x in self.x]))

    def test_permute(self):
        for rank, out in enumerate(self.run_on(moved)):
            np.testing.assert_array_equal(out, self.x[(rank - 1) % RANKS])

    def test_tiles_gathered_and_scattered(self):
        for dimension in (0, 1):
            with self.subTest(dimension=dimension):
                for out in self.run_on(in_tiles, dimension, False):
                    np.testing.assert_array_equal(out, np.concatenate(self.x, axis=dimension))
                parts = np.split(sum(self.x), RANKS, axis=dimension)
                for rank, out in enumerate(self.run_on(in_tiles, dimension, True)):
                    np.testing.assert_array_equal(out, parts[rank])

    def test_a_ring_on_two_channels(self):
        random = np.random.default_rng(2)
        x = random.integers(-3, 4, (16, 4 * 32)).astype(np.float32)
        w = random.integers(-3, 4, (4 * 32, 24)).astype(np.float32)
        for out in self.launch(ring_of_products, [(x, w[32 * r:32 * r + 32]) for r in range(RANKS)]):
            np.testing.assert_array_equal(out, x @ w)

    def test_a_ring_in_each_group(self):
        @nki.jit
        def kernel(x):
            here, there = hbm(x.shape, x.dtype), hbm(x.shape, x.dtype)
            groups = ncc.ReplicaGroup([[3, 0, 1], [2, 4, 5]])
            ncc.collective_permute_implicit([[x]], [[here]], groups)
            ncc.collective_permute_implicit([[x]], [[there]], groups, channel_ids=[1])
            owners = hbm((1, 2), nl.int32)
            tile = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.sbuf)
            for channel in range(2):
                owner = ncc.collective_permute_implicit_current_processing_rank_id(1, groups, channel)
                nisa.memset(dst=tile[:, channel:channel + 1], value=owner)
            nisa.dma_copy(dst=owners, src=tile)
            return here, there, owners
        xs = [np.full((8, 32), float(rank), np.float32) for rank in range(6)]
        before, after = {0: 3, 1: 0, 3: 1, 4: 2, 5: 4, 2: 5}, {3: 0, 0: 1, 1: 3, 2: 4, 4: 5, 5: 2}
        for rank, (here, there, owners) in enumerate(nki.run_ranks(kernel, [(x,) for x in xs])):
            np.testing.assert_array_equal(here, xs[before[rank]])
            np.testing.assert_array_equal(there, xs[after[rank]])
            self.assertEqual(owners.tolist(), [[before[rank], after[rank]]])

    def test_a_ring_that_adds(self):
        @nki.jit
        def kernel(x):
            """A ReduceScatter of the rows: a sum of each part goes round, and every rank adds its own."""
            rows = x.shape[0] // RANKS
            sent = hbm((rows, x.shape[1]), x.dtype)
            rank = ncc.rank_id()
            part = (rank - 1) % RANKS
            nisa.dma_copy(dst=sent, src=x[part * rows:(part + 1) * rows, :])
            zero = hbm(sent.shape, x.dtype)
            tile = nl.ndarray(sent.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.memset(dst=tile, value=0.0)
            nisa.dma_copy(dst=zero, src=tile)
            own = zero
            for step in range(1, RANKS):
                come = hbm(sent.shape, x.dtype)
                ncc.collective_permute_implicit_reduce([[sent]], [[own]], [[come]], ALL, op=nl.add)
                part = (rank - 1 - step) % RANKS
                sent, own = come, x[part * rows:(part + 1) * rows, :]
            out = hbm(sent.shape, x.dtype)
            nisa.dma_compute(dst=out, srcs=[sent, own], reduce_op=nl.add)
            return out
        for rank, out in enumerate(self.run_on(kernel)):
            np.testing.assert_array_equal(out, np.split(sum(self.x), RANKS)[rank])

    def test_a_rank_in_no_pair_keeps_its_order(self):
        @nki.jit
        def kernel(x):
            kept, after = hbm(x.shape, x.dtype), hbm(x.shape, x.dtype)
            nisa.dma_copy(dst=kept, src=x)
            ncc.collective_permute(srcs=[x], dsts=[kept], source_target_pairs=[(0, 1)])
            nisa.dma_copy(dst=after, src=kept)  # must wait for the first copy on ranks without a transfer, too
            return after
        self.x = [np.full((96, 1024), 1.0 + rank, np.float32) for rank in range(RANKS)]
        for rank, out in enumerate(self.run_on(kernel)):
            np.testing.assert_array_equal(out, self.x[0 if rank == 1 else rank])

    def test_a_fault_of_one_rank_is_told(self):
        @nki.jit
        def kernel(x, index):
            out = hbm(x.shape, x.dtype)
            tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            offsets = nl.ndarray((x.shape[0], 1), dtype=nl.int32, buffer=nl.sbuf)
            nisa.dma_copy(dst=offsets, src=index)
            nisa.dma_copy(dst=tile, src=x.ap([[32, 8], [1, 32]], vector_offset=offsets, indirect_dim=0))
            nisa.dma_copy(dst=out, src=tile)
            ncc.all_reduce(srcs=[out], dsts=[out], replica_group=ALL, op=nl.add)
            return out
        rows = [np.arange(8, dtype=np.int32).reshape(8, 1) for _ in range(RANKS)]
        rows[2][5] = 10**9
        with self.assertRaises(nki.NkiError) as caught:
            self.launch(kernel, list(zip(self.x, rows)))
        self.assertIn("rank 2: ", str(caught.exception))
        self.assertNotIn("deadlock", str(caught.exception))

    def test_a_layer_divided_by_rows(self):
        random = np.random.default_rng(1)
        x = random.integers(-3, 4, (4 * 64, 64)).astype(np.float32)
        w = random.integers(-3, 4, (4 * 64, 32)).astype(np.float32)
        outs = self.launch(computed, [(x[64 * r:64 * r + 64], w[64 * r:64 * r + 64]) for r in range(RANKS)])
        for rank, out in enumerate(outs):
            np.testing.assert_array_equal(out, (x.T @ w) * (rank + 1))

    def refused(self, kernel, message, *more, ranks=RANKS, error=nki.NkiError, cut=None):
        with self.assertRaises(error) as caught:
            self.launch(kernel, [(x[:, :cut].copy(), *more) for x in (self.x * 3)[:ranks]])
        self.assertIn(message, str(caught.exception))

    def test_a_small_tile_leaves_its_neighbours_alone(self):
        @nki.jit
        def kernel(x):
            guard = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.memset(dst=guard, value=5.0)
            a = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=a, src=x)
            b = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            ncc.all_reduce(srcs=[a], dsts=[b], replica_group=ALL, op=nl.add)
            guards, outs, ins = hbm((128, 64), nl.float32), hbm(x.shape, x.dtype), hbm(x.shape, x.dtype)
            nisa.dma_copy(dst=guards, src=guard)
            nisa.dma_copy(dst=outs, src=b)
            nisa.dma_copy(dst=ins, src=a)
            return guards, outs, ins
        xs = [x[:, :8].copy() for x in self.x]
        for x, (guard, out, kept) in zip(xs, self.launch(kernel, [(x,) for x in xs])):
            self.assertTrue((guard == 5).all())
            np.testing.assert_array_equal(out, sum(xs))
            np.testing.assert_array_equal(kept, x)

    def test_ranks_that_differ(self):
        @nki.jit
        def places(x):
            big = nl.ndarray((RANKS * x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.private_hbm)
            own = big[ncc.rank_id() * 8:ncc.rank_id() * 8 + 8, :]
            ncc.all_reduce(srcs=[x], dsts=[own], replica_group=ALL, op=nl.add)
            out = hbm(x.shape, x.dtype)
            nisa.dma_copy(dst=out, src=own)
            return out

        @nki.jit
        def tiles(x):
            more = [nl.ndarray((8, 64), dtype=x.dtype, buffer=nl.sbuf) for _ in range(ncc.rank_id())]
            for tile in more:
                nisa.memset(dst=tile, value=1.0)
            a = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=a, src=x)
            ncc.all_reduce(srcs=[a], dsts=[a], replica_group=ALL, op=nl.add)
            for tile in more:
                nisa.tensor_tensor(dst=a, data1=a, data2=tile[:, 0:32], op=nl.add)
            out = hbm(x.shape, x.dtype)
            nisa.dma_copy(dst=out, src=a)
            return out

        @nki.jit
        def numbers(x):
            out = hbm(x.shape, x.dtype)
            for _ in range(1 + ncc.rank_id() // 3):
                ncc.all_reduce(srcs=[x], dsts=[out], replica_group=ALL, op=nl.add)
            return out

        @nki.jit
        def kinds(x):
            out = hbm(x.shape, x.dtype)
            if ncc.rank_id() == 2:
                ncc.all_to_all(srcs=[x], dsts=[out], replica_group=ALL, collective_dim=0)
            else:
                ncc.all_reduce(srcs=[x], dsts=[out], replica_group=ALL, op=nl.add)
            return out

        @nki.jit
        def same(x):
            out = hbm(x.shape, x.dtype)
            nisa.dma_copy(dst=out, src=x)
            ncc.all_to_all(srcs=[out], dsts=[out], replica_group=ALL, collective_dim=0)
            return out
        self.refused(places, "at the same place on every rank: dst is [8, 32] of float32 at element 256")
        self.refused(tiles, "of SBUF on rank 1, and [8, 32] of float32 from partition 0 at byte")
        self.refused(numbers, "rank 3 calls 2 collectives, rank 0 1")
        self.refused(kinds, "collective 1 of rank 2 is another one")
        self.refused(same, "input and output overlap")

    def test_bad_input(self):
        self.places = {}  # cores of one chip
        self.refused(summed, "9 ranks: trn3 has 8 cores", ALL, ranks=9)
        self.refused(summed, "expected different ranks from 0 to 3", [[0, 1], [2, 4]])
        self.refused(summed, "expected groups of one size", [[0, 1, 2], [3]])
        self.refused(summed, "expected whole numbers", [[0.9, 1.9, 2, 3]])
        self.refused(summed, "expected a list, got int", [5])
        self.refused(summed, "rank 2 is in none, and calls it", [[0, 1]])
        self.refused(summed, "0 ranks: trn3 has 8 cores", ALL, ranks=0)

        @nki.jit
        def least(x):
            out = hbm(x.shape, x.dtype)
            ncc.all_reduce(srcs=[x], dsts=[out], replica_group=ALL, op=nl.minimum)
            return out
        self.refused(least, "all_reduce with op=minimum is not supported")

        @nki.jit
        def odd(x):
            out = hbm((3, 32), x.dtype)
            ncc.all_gather(srcs=[x], dsts=[out], replica_group=ALL, collective_dim=0)
            return out
        self.refused(odd, "src[8, 32] of float32 does not give dst[3, 32]")

        @nki.jit
        def ring(x, channels, count):
            outs = [hbm(x.shape, x.dtype) for _ in range(count)]
            ncc.collective_permute_implicit([[x]] * count, [[out] for out in outs], ALL, channel_ids=channels)
            return outs[0]
        self.refused(ring, "channel 4: expected 0 to 3", [4], 1)
        self.refused(ring, "expected different ones", [1, 1], 2)
        self.refused(ring, "a list of tensors for each", [0, 1], 1)

        @nki.jit
        def mixed(x):
            tile = nl.ndarray((RANKS * x.shape[0], x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
            ncc.all_gather(srcs=[x], dsts=[tile], replica_group=ALL, collective_dim=0)
            return x
        self.refused(mixed, "between SBUF and HBM")
        self.refused(in_tiles, "dimension 1 of [8, 30] does not divide among 4 ranks", 1, True, cut=30)
        with self.assertRaisesRegex(nki.NkiError, "belongs into a kernel that runs on several ranks"):
            summed(self.x[0], ALL)


class RanksOnChips(Ranks):
    """The same, each rank on a chip of its own."""
    places = {"system": "trn3-nl16-2d"}

    def test_the_bits_and_the_time(self):
        random = np.random.default_rng(2)
        self.x = [random.standard_normal((128, 64)).astype(np.float32) for _ in range(RANKS)]
        apart, slow = self.run_on(summed, ALL), summed.last_run.latency_us
        here, fast = nki.run_ranks(summed, [(x, ALL) for x in self.x]), summed.last_run.latency_us
        np.testing.assert_array_equal(apart, here)  # the order of the sum is the algorithm's
        self.assertGreater(slow, fast)

    def test_more_ranks_than_a_chip_has_cores(self):
        every = ncc.ReplicaGroup([list(range(24))])
        self.places = {"system": "trn3-nl16-2d", "chips": 12}
        xs = [np.full((8, 96), float(rank), np.float32) for rank in range(24)]
        for out in self.launch(summed, [(x, every) for x in xs]):
            np.testing.assert_array_equal(out, sum(xs))

    def test_what_is_refused(self):
        def refused(message, error=nki.NkiError, **places):
            self.places = {"system": "trn3-nl16-2d", **places}
            self.refused(summed, message, ALL, error=error)
        refused("4 ranks on 3 chips", chips=3)
        refused("chips=True: expected a whole number", chips=True)
        refused("chips=0", chips=0)
        refused("unknown system 'nowhere'", system="nowhere")
        refused("expected the name of a system", system="trn3\x1b[31m")
        refused("expected the name of a system", system=3)
        refused("has chips of preset 'trn2', the kernel is for 'trn3'", system="trn2-nl16")
        refused("chips without a system", system=None, chips=2)


class RanksOnCoresOfChips(Ranks):
    """The same on two cores of each of two chips."""
    places = {"system": "trn3-nl16-2d", "chips": 2}


if __name__ == "__main__":
    unittest.main()
