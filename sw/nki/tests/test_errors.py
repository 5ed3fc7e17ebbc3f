# SPDX-License-Identifier: Apache-2.0
"""The messages for wrong kernels: the message, the author's line, and the mark under the expression."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

A = np.ones((128, 512), np.float32)


def sbuf(shape, dtype=nl.float32, **more):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf, **more)


def loaded(x):
    tile = sbuf(x.shape, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def too_many_partitions(x):
    return nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)


@nki.jit
def partitions_differ(x):
    a, b = loaded(x), sbuf((64, 512))
    nisa.memset(dst=b, value=0.0)
    nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)


@nki.jit
def elements_differ(x):
    a = loaded(x)
    nisa.tensor_copy(dst=a[:, 0:256], src=a)


@nki.jit
def out_of_bounds(x):
    a = loaded(x)
    nisa.memset(dst=a[:, 500:600], value=0.0)


@nki.jit
def wrong_memory(x):
    a = sbuf((128, 512))
    nisa.tensor_copy(dst=a, src=x)


@nki.jit
def load_of_a_tile(x):
    return nl.load(loaded(x))


@nki.jit
def exhausted(x):
    tiles = []
    for i in range(30):
        big = sbuf((128, 4096))
        nisa.memset(dst=big, value=0.0)
        tiles.append(big)
    out = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    for tile in tiles:
        nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def uninitialised(x):
    a = sbuf((128, 512))
    b = sbuf((128, 512))
    nisa.memset(dst=a[:, 0:511], value=1.0)
    nisa.tensor_copy(dst=b, src=a)
    nisa.max8(dst=sbuf((128, 8)), src=b)


@nki.jit
def some_partitions(x):
    a = sbuf((128, 512))
    b = sbuf((128, 1))
    out = nl.ndarray((96, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.memset(dst=a[0:64], value=1.0)
    nisa.tensor_reduce(dst=b, op=nl.add, data=a, axis=1)
    nisa.dma_copy(dst=out, src=b[0:96])  # 32 more than are known
    return out


@nki.jit
def copy_of_a_part(x):
    a = sbuf((128, 512))
    b = sbuf((128, 512))
    out = nl.ndarray((128, 500), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.memset(dst=a[:, 0:511], value=1.0)
    nisa.tensor_copy(dst=b, src=a)
    nisa.dma_copy(dst=out, src=b[:, 3:503])
    return out


@nki.jit
def never_stored(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    loaded(x)
    return out


@nki.jit
def adds_to_nothing(x):
    a = loaded(x)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=total, stationary=a[:, 0:128], moving=a, accumulate=True)


@nki.jit
def unknown_function(x):
    nisa.tensor_frobnicate(dst=x)


@nki.jit
def missing_function(x):
    nisa.tensor_copy_dynamic_src(x, x, x, 8)


@nki.jit
def unknown_keyword(x):
    nisa.tensor_copy(dst=loaded(x), source=x)


@nki.jit
def input_written(x):
    nisa.dma_copy(dst=x, src=loaded(x))


@nki.jit
def start_partition(x):
    a = loaded(x)
    nisa.memset(dst=a[16:80, :], value=0.0)


@nki.jit
def product_too_wide(x):
    a = loaded(x)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=total, stationary=a[:, 0:256], moving=a)


@nki.jit
def two_from_psum(x):
    p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=p, value=0.0)
    nisa.tensor_tensor(dst=sbuf((128, 512)), data1=p, data2=p, op=nl.add)


@nki.jit
def gpsimd_in_psum(x):
    p = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=p, value=0.0, engine=nisa.gpsimd_engine)


@nki.jit
def wrong_engine(x):
    a = loaded(x)
    nisa.memset(dst=a, value=0.0, engine=nisa.engine.scalar)


@nki.jit
def no_such_operator(x):
    a = loaded(x)
    nisa.tensor_scalar(dst=a, data=a, op0=np.fmod, operand0=2.0)


@nki.jit
def bad_reshape(x):
    loaded(x).reshape((128, 100))


@nki.jit
def result_on_chip(x):
    return loaded(x)


@nki.jit
def beyond_the_address(x):
    nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 1 << 20))


@nki.jit
def cast_in_bits(x):
    a, b = loaded(x), sbuf((128, 512), nl.int16)
    nisa.tensor_scalar(dst=b, data=a, op0=nl.bitwise_and, operand0=1)


# What is refused, and a part of the message.
REFUSED = {
    "no dimension": (lambda x: sbuf(()), "expected at least one dimension"),
    "a size of 0": (lambda x: sbuf((128, 0)), "expected sizes of at least 1"),
    "elements beyond any memory": (lambda x: nl.ndarray((10**10, 10**10), nl.float32, buffer=nl.shared_hbm),
                                   "has too many elements"),
    "a negative address": (lambda x: sbuf((128, 4), address=(0, -4)), "expected a partition and a byte"),
    "a type that is none": (lambda x: sbuf((128, 4), "complex64"), "unknown dtype 'complex64'"),
    "two open sizes": (lambda x: loaded(x).reshape((128, -1, -1)), "cannot reshape"),
    "a fraction as index": (lambda x: loaded(x)[:, 0.5:3], "expected an integer"),
    "infinity as integer": (lambda x: nisa.memset(sbuf((128, 4), nl.int32), float("inf")), "memset: value inf"),
    "half a tile of the array": (lambda x: nisa.nc_matmul(nl.ndarray((128, 512), nl.float32, buffer=nl.psum),
                                                          loaded(x)[:, 0:128], loaded(x), tile_position=(0,)),
                                 "expected rows and columns of each"),
    "a step of 40 bits": (lambda x: nisa.iota(sbuf((128, 4), nl.int32), [[2**40, 4]]), "does not fit 32 bits"),
    "steps beyond 64 bits": (lambda x: x.ap([[2**62, 2**31], [1, 512]]), "leave tensor `x"),
    "a number as index of rows": (lambda x: x.ap([[512, 128], [1, 512]], vector_offset=3), "vector_offset must be a tensor"),
    "an indexed view as operand": (lambda x: nisa.tensor_copy(loaded(x), x.ap([[512, 128], [1, 512]],
                                                                              vector_offset=loaded(x)[:, 0:1])),
                                   "a view with vector_offset as 'src' of 'tensor_copy' is not supported"),
    "rows by floats": (lambda x: nisa.dma_transpose(sbuf((64, 128)), x.ap([[512, 128], [1, 64]],
                                                                           vector_offset=loaded(x)[:, 0:1])),
                       "expected two dimensions of uint32 in 'sbuf'"),
    "a part of indexed rows": (lambda x: x.ap([[512, 128], [1, 512]], vector_offset=loaded(x)[:, 0:1])[0:64],
                               "a part of the rows of an indirect view is not supported"),
}


class Errors(unittest.TestCase):
    def refused(self, kernel, message, error=nki.NkiValidationError, mark=None):
        with self.assertRaises(error) as caught:
            kernel(A)
        text = str(caught.exception)
        self.assertIn(message, text)
        if mark:
            self.assertRegex(text, r"\n  at .*test_errors\.py:\d+, in ")
            lines = text.splitlines()
            carets = [i for i, line in enumerate(lines) if set(line.strip()) == {"^"}]
            self.assertEqual(len(carets), 1, text)
            marked, source = lines[carets[0]], lines[carets[0] - 1]
            first = marked.index("^")
            self.assertEqual(source[first:len(marked)], mark)

    def test_too_many_partitions(self):
        self.refused(too_many_partitions, "number of partitions 256 exceed architecture limitation of 128.",
                     mark="nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)")

    def test_partitions_differ(self):
        self.refused(partitions_differ,
                     "number of partitions (dimension 0 size of a tile) mismatch in parameters (dst[128, 512], "
                     "data2[64, 512]) of 'tensor_tensor'",
                     mark="nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)")

    def test_elements_differ(self):
        self.refused(elements_differ, "number of elements per partition mismatch in parameters (dst[128, 256], "
                     "src[128, 512]) of 'tensor_copy'", mark="nisa.tensor_copy(dst=a[:, 0:256], src=a)")

    def test_out_of_bounds(self):
        self.refused(out_of_bounds, "Out-of-bound access for tensor `tile` on dimension 1: index range [500, 599] "
                     "exceed dimension size of 512", mark="a[:, 500:600]")

    def test_wrong_memory(self):
        self.refused(wrong_memory, "Expected operand 'src' of 'tensor_copy' to be in address space 'sbuf' or 'psum', "
                     "but got a tile in 'hbm' instead.", mark="nisa.tensor_copy(dst=a, src=x)")
        self.refused(load_of_a_tile, "Expected operand 'src' of 'load' to be in address space 'hbm', but got a tile in "
                     "'sbuf' instead.", mark="nl.load(loaded(x))")

    def test_memory_exhausted(self):
        with self.assertRaises(nki.NkiValidationError) as caught:
            exhausted(A)
        text = str(caught.exception)
        self.assertIn("SBUF exhausted: tensor `big.", text)
        self.assertIn("needs 16384 bytes per partition", text)
        self.assertRegex(text, r"held: 16384 bytes by `big\[128, 4096\]` of .*test_errors.py:\d+")
        self.assertRegex(text, r"called from .*test_errors.py:\d+, in exhausted")

    def test_uninitialised(self):
        self.refused(uninitialised, "operand 'src' of 'max8' reads tensor `b[128, 512]`, which is only partly written",
                     mark="nisa.max8(dst=sbuf((128, 8)), src=b)")
        self.assertTrue((copy_of_a_part(A) == 1).all())  # what is unknown is not used

    def test_partitions_that_nothing_has_written(self):
        self.refused(some_partitions, "operand 'src' of 'dma_copy' reads tensor `b[96, 1]`, which is only partly written",
                     mark="nisa.dma_copy(dst=out, src=b[0:96])")

    def test_output_never_stored(self):
        self.refused(never_stored, "output tensor `out[128, 512]` is never written to",
                     mark="nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)")

    def test_sum_onto_nothing(self):
        self.refused(adds_to_nothing, "accumulates into `total[128, 512]`, which no instruction has overwritten",
                     mark="nisa.nc_matmul(dst=total, stationary=a[:, 0:128], moving=a, accumulate=True)")

    def test_checks_can_be_off(self):
        kernel = nki.jit(uninitialised.func, check_use=False)
        self.assertIsNone(kernel(A))

    def test_functions(self):
        self.refused(unknown_function, "has no function 'tensor_frobnicate'", AttributeError)
        self.refused(missing_function, "nki.isa.tensor_copy_dynamic_src is not supported by Tern", nki.NkiNotSupportedError,
                     mark="nisa.tensor_copy_dynamic_src(x, x, x, 8)")
        self.refused(unknown_keyword, "unexpected keyword argument 'source'", TypeError)
        self.refused(no_such_operator, "operator 'fmod' is not supported", nki.NkiNotSupportedError,
                     mark="nisa.tensor_scalar(dst=a, data=a, op0=np.fmod, operand0=2.0)")

    def test_input_written(self):
        self.refused(input_written, "Cannot update immutable parameter `x`",
                     mark="nisa.dma_copy(dst=x, src=loaded(x))")

    def test_limits(self):
        self.refused(start_partition, "cannot start on partition 16",
                     mark="nisa.memset(dst=a[16:80, :], value=0.0)")
        self.refused(product_too_wide, "size of dimension 1 in 'stationary[128, 256]' of 'nc_matmul' exceed "
                     "architecture limitation of 128.",
                     mark="nisa.nc_matmul(dst=total, stationary=a[:, 0:256], moving=a)")
        self.refused(two_from_psum, "at most one of its inputs may be in PSUM",
                     mark="nisa.tensor_tensor(dst=sbuf((128, 512)), data1=p, data2=p, op=nl.add)")
        self.refused(gpsimd_in_psum, "the gpsimd engine does not access PSUM",
                     mark="nisa.memset(dst=p, value=0.0, engine=nisa.gpsimd_engine)")
        self.refused(wrong_engine, "memset is not supported on the scalar engine",
                     mark="nisa.memset(dst=a, value=0.0, engine=nisa.engine.scalar)")
        self.refused(beyond_the_address, "bytes of sbuf on trn3")

    def test_builder_limits_have_the_place(self):
        self.refused(cast_in_bits, "tensor_scalar: bit operations take elements of one size",
                     mark="nisa.tensor_scalar(dst=b, data=a, op0=nl.bitwise_and, operand0=1)")

    def test_reshape(self):
        self.refused(bad_reshape, "cannot reshape tensor `tile[128, 512]` of 65536 elements into shape [128, 100]",
                     AssertionError, mark="loaded(x).reshape((128, 100))")

    def test_results(self):
        self.refused(result_on_chip, "kernel 'result_on_chip' returns tensor `tile` in 'sbuf': expected shared_hbm")

    def test_launch(self):
        with self.assertRaisesRegex(nki.NkiNotSupportedError, "a launch on 4 cores"):
            input_written[4]

    def test_odd_arguments(self):
        for name, (function, message) in REFUSED.items():
            with self.subTest(name):
                with self.assertRaises(nki.NkiError) as caught:
                    nki.jit(lambda x, f=function: f(x) and None)(A)
                self.assertIn(message, str(caught.exception))

    def test_an_argument_comes_back(self):
        result = nki.jit(lambda x: (x, x))(A)
        np.testing.assert_array_equal(result[1], A)

    def test_outside_of_a_kernel(self):
        with self.assertRaisesRegex(nki.NkiValidationError, "belongs into a kernel"):
            nl.ndarray((128, 4), dtype=nl.float32)

    def test_arguments(self):
        with self.assertRaisesRegex(nki.NkiValidationError, "argument `x`: float64 is not supported"):
            loaded_kernel(np.ones((4, 4)))
        with self.assertRaisesRegex(TypeError, "missing a required argument"):
            loaded_kernel()


loaded_kernel = nki.jit(loaded)

if __name__ == "__main__":
    unittest.main()
