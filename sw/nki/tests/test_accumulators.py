# SPDX-License-Identifier: Apache-2.0
"""Reductions that begin with values, go on, or are negated; functions with a parameter; chains."""
import unittest

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl
from one_call import run

F32, BF16 = nl.float32, nl.bfloat16
CMD = nisa.reduce_cmd


def column(value=None):
    tile = nl.ndarray((128, 1), dtype=F32, buffer=nl.sbuf)
    if value is not None:
        nisa.memset(dst=tile, value=value)
    return tile


class Accumulators(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(5)
        self.x = self.random.standard_normal((128, 40)).astype(np.float32)

    def test_tensor_scalar_reduce(self):
        y = self.x + np.float32(0.5)
        reductions = {"add": np.sum, "maximum": np.max, "minimum": np.min, "multiply": np.prod}
        joins = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply}
        for op, numpy in reductions.items():
            for negate in (False, True):
                for start in (None, 1.5, "column"):
                    def call(dst, a, op=op, negate=negate, start=start):
                        result = column()
                        more = {} if start is None else {
                            "reduce_cmd": CMD.load_reduce, "reduce_init": column(1.5) if start == "column" else start}
                        nisa.tensor_scalar_reduce(dst, a, nl.add, 0.5, op, result, reduce_res_negate=negate, **more)
                        return (result,)
                    dst, result = run(call, [self.x], (128, 40), F32)
                    expected = numpy(y, axis=1, keepdims=True)
                    if start is not None:
                        expected = joins[op](expected, np.float32(1.5))
                    np.testing.assert_array_equal(dst, y)
                    np.testing.assert_allclose(result, -expected if negate else expected, rtol=2e-5, atol=1e-6)

    def test_chain_that_is_negated_keeps_its_sum(self):
        def call(dst, a):
            first, second = column(), column()
            nisa.tensor_scalar_reduce(dst, a, nl.multiply, 1.0, nl.add, first, reduce_res_negate=True)
            nisa.tensor_scalar_reduce(dst, a, nl.multiply, 1.0, nl.add, second, reduce_cmd=CMD.reduce)
            return first, second
        _, first, second = run(call, [self.x], (128, 40), F32)
        total = self.x.sum(1, keepdims=True)
        np.testing.assert_allclose(first, -total, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(second, 2 * total, rtol=1e-5, atol=1e-5)

    def test_activation_begins_with_a_column(self):
        def call(dst, a):
            result = column(3.0)
            nisa.activation(dst=dst, op=nl.square, data=a, reduce_op=nl.add, reduce_res=result, reduce_cmd=CMD.load_reduce)
            return (result,)
        _, result = run(call, [self.x], (128, 40), F32)
        np.testing.assert_allclose(result, 3 + (self.x ** 2).sum(1, keepdims=True), rtol=1e-5)

    def test_accumulators_are_read_without_a_sum(self):
        def call(dst, a):
            first, second = column(), column()
            nisa.activation(dst=dst, op=nl.copy, data=a, reduce_op=nl.add, reduce_cmd=CMD.reset_reduce)
            nisa.activation(dst=dst, op=nl.square, data=a, reduce_op=nl.add, reduce_res=first)
            nisa.activation(dst=dst, op=nl.square, data=a, reduce_op=nl.add, reduce_res=second, reduce_cmd=CMD.reduce)
            return first, second
        _, first, second = run(call, [self.x], (128, 40), F32)
        total = self.x.sum(1, keepdims=True)
        np.testing.assert_allclose(first, total, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(second, total + (self.x ** 2).sum(1, keepdims=True), rtol=1e-5, atol=1e-5)

    def test_selections_go_on(self):
        where = self.random.integers(0, 2, (128, 40)).astype(np.uint8)
        bounds = [np.zeros((128, 1), np.float32), np.full((128, 1), 30, np.float32)]

        def selected(dst, a, w, *_):
            result = column()
            nisa.select_reduce(dst, w, a, -5.0, reduce_cmd=CMD.reset_reduce)
            nisa.tensor_scalar(dst=a, data=a, op0=nl.multiply, operand0=-1.0)
            nisa.select_reduce(dst, w, a, -5.0, result, reduce_cmd=CMD.reduce)
            return (result,)

        def in_range(dst, a, w, low, high):
            result = column()
            nisa.range_select(dst, a, nl.greater_equal, nl.less, low, high)
            nisa.tensor_scalar(dst=a, data=a, op0=nl.multiply, operand0=-1.0)
            nisa.range_select(dst, a, nl.greater_equal, nl.less, low, high, reduce_res=result, reduce_cmd=CMD.reduce)
            return (result,)
        _, result = run(selected, [self.x, where] + bounds, (128, 40), F32)
        expected = np.where(where, np.abs(self.x), -5).max(1, keepdims=True)
        np.testing.assert_array_equal(result, expected)
        dst, result = run(in_range, [self.x, where] + bounds, (128, 40), F32)
        np.testing.assert_array_equal(result, np.abs(self.x[:, 0:30]).max(1, keepdims=True))
        np.testing.assert_array_equal(dst[:, 30:], np.full((128, 10), nl.fp32.min, np.float32))
        self.assertEqual(float(dst[0, 39]), nl.fp32.min)

    def test_exponential_begins_with_a_value(self):
        for start in (2.0, "column"):
            def call(dst, a, start=start):
                result = column()
                nisa.exponential(dst, a, reduce_res=result, reduce_cmd=CMD.load_reduce,
                                 reduce_init=column(2.0) if start == "column" else start)
                return (result,)
            _, result = run(call, [self.x], (128, 40), F32)
            np.testing.assert_allclose(result, 2 + np.exp(self.x).sum(1, keepdims=True), rtol=1e-4)

    def test_cumulative(self):
        x = self.x
        for op in ("add", "subtract", "multiply", "maximum", "minimum"):
            function = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
                        "minimum": np.minimum}[op]
            neutral = {"add": 0, "subtract": 0, "multiply": 1, "maximum": -np.inf, "minimum": np.inf}[op]

            def chain(values, start):
                result, state = np.empty_like(values), np.float32(start) * np.ones(128, np.float32)
                for i in range(values.shape[1]):
                    state = function(values[:, i], state)
                    result[:, i] = state
                return result

            def call(dst, a, op=op):
                nisa.tensor_scalar_cumulative(dst[:, 0:10], a[:, 0:10], nl.multiply, op, 0.75)
                nisa.tensor_scalar_cumulative(dst[:, 10:25], a[:, 10:25], nl.multiply, op, 0.75, reduce_cmd=CMD.reduce)
                nisa.tensor_scalar_cumulative(dst[:, 25:40], a[:, 25:40], nl.multiply, op, 0.75, 0.5,
                                              reduce_cmd=CMD.load_reduce)
            values = x * np.float32(0.75)
            expected = np.concatenate([chain(values[:, 0:25], neutral), chain(values[:, 25:], 0.5)], axis=1)
            np.testing.assert_allclose(run(call, [x], (128, 40), F32), expected, rtol=1e-5, atol=1e-5)

    def test_chain_goes_on_in_fp32(self):
        def call(dst, a):
            nisa.tensor_scalar_cumulative(dst[:, 0:20], a[:, 0:20], nl.multiply, nl.add, 1.0)
            nisa.tensor_scalar_cumulative(dst[:, 20:40], a[:, 20:40], nl.multiply, nl.add, 1.0, reduce_cmd=CMD.reduce)
        whole = nki.array(np.cumsum(self.x, axis=1, dtype=np.float32), BF16)
        np.testing.assert_array_equal(np.asarray(run(call, [self.x], (128, 40), BF16)), np.asarray(whole))

    def test_activate2_with_a_parameter(self):
        slopes = self.random.random((128, 1)).astype(np.float32)
        y = self.x * np.float32(2) + np.float32(0.25)

        def number(dst, a, s):
            nisa.activate2(dst, nl.prelu, a, 2.0, 0.25, nl.multiply, nl.add, relu_param=0.1)

        def tile(dst, a, s):
            result = column()
            nisa.activate2(dst, nl.prelu, a, 2.0, 0.25, nl.multiply, nl.add, relu_param=s, reduce_op=nl.maximum,
                           reduce_res=result, reduce_cmd=CMD.reset_reduce)
            return (result,)
        np.testing.assert_allclose(run(number, [self.x, slopes], (128, 40), F32), np.where(y > 0, y, np.float32(0.1) * y),
                                   rtol=1e-6)
        leaking = np.where(y > 0, y, slopes * y)
        dst, result = run(tile, [self.x, slopes], (128, 40), F32)
        np.testing.assert_allclose(dst, leaking, rtol=1e-6)
        np.testing.assert_allclose(result, leaking.max(1, keepdims=True), rtol=1e-6)

    def test_replaced_values_with_their_places(self):
        data = np.tile(np.array([1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8], np.float32), (128, 1))
        vals = np.tile(np.array([3, 8, 8, 8, 8, 8, 8, 8], np.float32), (128, 1))

        def call(dst, a, v):
            places = nl.ndarray((128, 8), dtype=nl.uint32, buffer=nl.sbuf)
            nisa.nc_match_replace8(a, a, v, -1.0, dst_idx=places)  # in place
            nisa.tensor_copy(dst=dst, src=a)
            return (places,)
        dst, places = run(call, [data, vals], (128, 11), F32)
        np.testing.assert_array_equal(places, np.tile([2, 10, 9, 8, 7, 6, 5, 4], (128, 1)))
        np.testing.assert_array_equal(dst, np.tile([1, 2, -1, 4, -1, -1, -1, -1, -1, -1, -1], (128, 1)))

    def test_messages(self):
        def refused(error, text, function, *args, **more):
            with self.assertRaisesRegex(error, text):
                run(lambda dst, a: function(dst, a, *args, **more), [self.x], (128, 40), F32)
        bad, missing = nki.NkiValidationError, nki.NkiNotSupportedError
        refused(bad, "reduce_init belongs to", nisa.tensor_scalar_reduce, nl.add, 1.0, nl.add, reduce_init=1.0)
        refused(bad, "reduce_init belongs to", nisa.tensor_scalar_reduce, nl.add, 1.0, nl.add, reduce_cmd=CMD.load_reduce)
        refused(missing, "goes on in the accumulators", nisa.tensor_scalar_reduce, nl.add, 1.0, nl.multiply,
                reduce_cmd=CMD.reduce)
        refused(bad, "expected maximum, and reset_reduce or reduce", lambda dst, a: nisa.select_reduce(
            dst, nl.ndarray((128, 40), dtype=nl.uint8, buffer=nl.sbuf), a, 0.0, column(), CMD.load_reduce))
        refused(bad, "reduce_cmd idle", nisa.tensor_scalar_cumulative, nl.add, nl.add, 1.0, reduce_cmd=CMD.idle)
        refused(bad, "op1 power", nisa.tensor_scalar_cumulative, nl.add, nl.power, 1.0)


if __name__ == "__main__":
    unittest.main()
