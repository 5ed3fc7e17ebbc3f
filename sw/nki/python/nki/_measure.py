# SPDX-License-Identifier: Apache-2.0
"""nki.simulate, nki.benchmark and their older names."""
import functools

from ._jit import Kernel, Launch, jit


def simulate(kernel):
    """nki.simulate(kernel)(arrays), nki.simulate(kernel[1])(arrays): as the plain call."""
    return kernel if isinstance(kernel, (Kernel, Launch)) else jit(kernel)


cpu_simulate = simulate


def simulate_kernel(kernel, *args, **kwargs):
    return simulate(kernel)(*args, **kwargs)


class Latency:
    """Latencies of runs in us; the simulation is deterministic, so they are all equal."""

    def __init__(self, latencies):
        self._sorted = sorted(latencies)

    def get_latency_percentile(self, percentile):
        at = round(percentile / 100 * (len(self._sorted) - 1))
        return self._sorted[at]


class BenchmarkResult:
    def __init__(self, latencies):
        self.nc_latency = Latency(latencies)


def benchmark(func=None, warmup=10, iters=100, **options):
    """A kernel that keeps benchmark_result.nc_latency of its newest call.

    One run of the simulation stands for all iterations: they would not differ.
    """
    if func is None:
        return functools.partial(benchmark, warmup=warmup, iters=iters, **options)
    kernel = jit(func, **options)
    plain_run = kernel.run

    def run(*args, **kwargs):
        result = plain_run(*args, **kwargs)
        kernel.benchmark_result = BenchmarkResult([kernel.last_run.latency_us])
        return result

    kernel.run = run
    return kernel
