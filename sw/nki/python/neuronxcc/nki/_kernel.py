# SPDX-License-Identifier: Apache-2.0
"""Kernels of NKI 0.1: nki.jit and its relatives, launch grids."""
import itertools
import typing

from nki import _core, _jit, _measure, _trace
from nki.tensor import NkiTensor

from . import _pending
from ._tile import Blocks, Tile


class NeuronCores:
    """nl.nc(n): n physical cores."""

    def __init__(self, count):
        self.count = int(count)

    def __mul__(self, other):
        return spmd_dim(self, other)

    def __rmul__(self, other):
        return spmd_dim(other, self)


class Dimension(typing.NamedTuple):
    """Of a launch grid: its programs on one core or two, in blocks or in turns."""

    size: int
    cores: int = 1
    in_blocks: bool = True

    def core_of(self, number):
        return number // (self.size // self.cores) if self.in_blocks else number % self.cores


def spmd_dim(outer, inner):
    """nl.spmd_dim(nl.nc(2), n): n programs on the first core, then n on the second; nl.spmd_dim(n, nl.nc(2)): in turns."""
    in_blocks = isinstance(outer, NeuronCores)
    cores, count = (outer, inner) if in_blocks else (inner, outer)
    if not isinstance(cores, NeuronCores):
        return Dimension(int(outer) * int(inner))
    if isinstance(count, NeuronCores):
        raise _core.validation_error("spmd_dim(): cores of cores")
    return Dimension(int(count) * cores.count, cores.count, in_blocks)


def _dimension(value):
    if isinstance(value, NeuronCores):
        return Dimension(value.count, value.count)
    return value if isinstance(value, Dimension) else Dimension(int(value))


def _dimensions(grid):
    """Of a launch: of `tern nki run --cores` it is a number."""
    if isinstance(grid, tuple):
        return grid
    return () if grid == 1 else (Dimension(grid, grid),)


class Launch(_jit.Launch):
    """kernel[grid]: the programs of the grid run one after the other, in one instruction stream of a core."""

    def __init__(self, kernel, grid):
        self.kernel = kernel
        sizes = grid if isinstance(grid, (tuple, list)) else (grid,)
        self.grid = tuple(_dimension(n) for n in sizes)
        if any(n.size < 1 for n in self.grid):
            raise _core.validation_error(f"launch grid {[n.size for n in self.grid]}")

    def __call__(self, *args, **kwargs):
        if _trace.is_tracing():
            raise _core.not_supported("a launch inside a kernel")
        return super().__call__(*args, **kwargs)


class Program:
    """The program of a launch grid that is being traced."""

    def __init__(self, grid):
        self.grid = tuple(dimension.size for dimension in grid)
        self.ids = (0,) * len(self.grid)
        self.shared, self.made = [], 0  # tensors in shared_hbm, which the programs of a grid have in common

    def shared_tensor(self, make):
        if self.made == len(self.shared):
            self.shared.append(make())
        self.made += 1
        return self.shared[self.made - 1]


class Kernel(_jit.Kernel):
    launch = Launch

    def __call__(self, *args, **kwargs):
        if _trace.is_tracing():
            return self.func(*args, **kwargs)
        return self.launch(self, ())(*args, **kwargs)

    @staticmethod
    def cores(grid):
        """One core runs the programs of the grid, unless a dimension of it names two."""
        count = 1
        for dimension in _dimensions(grid):
            count *= dimension.cores
        if count not in (1, 2):
            raise _core.not_supported(f"a launch on {count} cores")
        return count

    def must_return(self, results):
        """One that returns nothing has its arguments for that."""
        return bool(results) and super().must_return(results)

    def trace(self, args, kwargs):
        trace = _trace.current()
        trace.pending = None
        trace.core.old_style = True
        grid = _dimensions(trace.grid)
        core, trace.program = trace.program, Program(grid)
        program = trace.program
        args, kwargs = _outer(list(args)), _outer(dict(kwargs))
        returned = None
        for ids in itertools.product(*(range(n) for n in program.grid)):
            if sum(dimension.core_of(i) for dimension, i in zip(grid, ids)) != core:
                continue  # of dimensions without cores it is 0
            program.ids, program.made = ids, 0
            returned = super().trace(args, kwargs)
            _pending.flush()
        return _inner(returned)


def _outer(value):
    """Tensors of nki as those of this package, in lists and dictionaries, too."""
    if isinstance(value, NkiTensor):
        return Tile(value)
    if type(value) in (list, tuple):
        return type(value)(_outer(item) for item in value)
    return {k: _outer(item) for k, item in value.items()} if type(value) is dict else value


def _inner(value):
    if isinstance(value, Blocks):
        raise _core.validation_error("a kernel returns tensors in HBM, not arrays of tiles")
    if isinstance(value, Tile):
        return value.view()
    return tuple(_inner(item) for item in value) if isinstance(value, (tuple, list)) else value


def jit(func=None, mode="auto", **options):
    if func is None:
        return lambda function: jit(function, mode, **options)
    if isinstance(func, _jit.Kernel):
        return func
    _jit.check_options(options)
    return Kernel(func, options)


def simulate_kernel(kernel, *args, **kwargs):
    return (kernel if isinstance(kernel, (Kernel, Launch)) else jit(kernel))(*args, **kwargs)


def baremetal(kernel=None, **options):
    """Runs on the simulated chip, as the plain call does."""
    return jit(kernel, **options)


def benchmark(kernel=None, **options):
    if kernel is None:
        return lambda function: benchmark(function, **options)
    warmup, iters = options.pop("warmup", 10), options.pop("iters", 100)
    return _measure.benchmark(jit(kernel, **options), warmup=warmup, iters=iters)


def profile(func=None, **options):
    """Without files for neuron-profile: `tern nki run --trace` makes a timeline."""
    for name in ("profile_nth", "num_execs", "overwrite"):
        options.pop(name, None)
    return jit(func, **options)
