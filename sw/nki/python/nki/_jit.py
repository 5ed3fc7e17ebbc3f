# SPDX-License-Identifier: Apache-2.0
"""nki.jit: kernels as Python functions that run on a simulated chip."""
import functools
import inspect
import math
import os

from . import _arguments, _arrays, _cache_key, _core, _errors, _run, _site, _target, _trace
from .isa._calls import add_edges
from .tensor import HBM, NkiTensor, hbm, shared_hbm

# Keyword arguments of nki.jit that change nothing here.
_IGNORED = {"mode", "debug_kernel", "show_compiler_tb", "experimental_flags", "additional_compile_opt", "kernel_return",
            "save_neff_name", "save_trace_name", "artifacts_dir", "working_directory", "device_count", "lnc"}
_MOST_PROGRAMS = 128  # compiled ones that a kernel keeps


def check_options(options):
    unknown = set(options) - _IGNORED - {"platform_target", "check_use", "schedule", "spill"}
    if unknown:
        raise TypeError(f"nki.jit: unexpected keyword argument '{sorted(unknown)[0]}'")


def jit(fn=None, **options):
    """@nki.jit, @nki.jit(mode="trace", platform_target="trn2")."""
    check_options(options)
    if fn is None:
        return functools.partial(jit, **options)
    return fn if isinstance(fn, Kernel) else Kernel(fn, options)


class Kernel:
    """A kernel: call it with arrays, or take kernel[1]."""

    def __init__(self, func, options):
        functools.update_wrapper(self, func)
        self.func, self.options = func, options
        self.edges = []  # of with_schedule()
        self.last_run = None  # the newest run's Profile
        self._built = {}

    def __getitem__(self, grid):
        return self.launch(self, grid)

    def __get__(self, instance, owner=None):
        """As a method: the instance is the first argument."""
        return self if instance is None else BoundKernel(self, instance)

    def __call__(self, *args, **kwargs):
        if _trace.is_tracing():
            return self.func(*args, **kwargs)
        return self.launch(self, 1)(*args, **kwargs)

    def trace(self, args, kwargs):
        """The author's function with tensor objects; what it returns."""
        return _call(self.func, args, kwargs)

    @staticmethod
    def cores(grid):
        """How many cores a launch takes, each with a program."""
        return math.prod(_trace.sizes_of(grid))

    def must_return(self, results):
        """Whether arguments that it writes must be returned or declared mutable."""
        return self.options.get("kernel_return", True)

    def build(self, *args, grid=1, after_pass=None, **kwargs):
        """Traces and compiles; returns the Executable and the arrays among the arguments."""
        target = _target.chosen(self.options.get("platform_target"))
        bound = _bind(self.func, args, kwargs)
        plain, arrays = _arguments.plain(bound)
        key = _cache_key.key_of(self.func, plain) if after_pass is None else None
        if key is not None:
            key = (target.name, target.preset, tuple(target.settings), grid, _reorders(self), _spills(self),
                   self.options.get("check_use", True), tuple(array.kind() for array in arrays), key)
        executable = self._built.get(key)
        if executable is None:
            executable = _build(self, plain, arrays, target, grid, after_pass)
            if key is not None and not executable.has_read_files:
                self._built[key] = executable
            if len(self._built) > _MOST_PROGRAMS:
                del self._built[next(iter(self._built))]
        return executable, [array.value for array in arrays]

    def run(self, args, kwargs, grid=1, trace_file="", wants_spans=False):
        executable, arrays = self.build(*args, grid=grid, **kwargs)
        result, self.last_run = executable.run(arrays, trace_file, wants_spans)
        return result

    def with_schedule(self, pairs):
        """The kernel with orders of instructions by name: (consumer, producer or list of producers)."""
        scheduled = type(self)(self.func, self.options)
        for pair in pairs:
            names = pair[1] if len(pair) == 2 and isinstance(pair[1], (list, tuple)) else pair[1:]
            if len(pair) != 2 or not all(isinstance(name, str) for name in (pair[0], *names)):
                raise _core.validation_error(f"with_schedule: {pair!r}: expected the name of an instruction, and the name or a "
                                             "list of names of those before it")
            scheduled.edges.append((pair[0], tuple(names)))
        return scheduled


class Launch:
    """kernel[grid]."""

    def __init__(self, kernel, grid):
        self.kernel = kernel
        self.grid = _grid(grid)

    def __call__(self, *args, **kwargs):
        if _trace.is_tracing():
            raise _core.not_supported("a launch inside a kernel")
        return self.kernel.run(args, kwargs, grid=self.grid)


class BoundKernel:
    """A kernel as a method of an object."""

    def __init__(self, kernel, instance):
        self.kernel, self.instance = kernel, instance

    def __call__(self, *args, **kwargs):
        return self.kernel(self.instance, *args, **kwargs)

    def __getitem__(self, grid):
        return functools.partial(self.kernel[grid], self.instance)

    def __getattr__(self, name):
        return getattr(self.kernel, name)


Kernel.launch = Launch  # of NKI 0.1: another


def _grid(grid):
    """Programs along each dimension of a launch."""
    sizes = tuple(_size(n, grid) for n in (grid if isinstance(grid, (tuple, list)) else (grid,)))
    count = math.prod(sizes)
    if count not in (1, 2):
        raise _core.not_supported(f"a launch on {count} cores or programs")
    return sizes


def _size(n, grid):
    count = getattr(n, "count", None)
    try:
        return (n if count is None or callable(count) else count).__index__()
    except AttributeError:
        raise _core.validation_error(f"launch grid {grid!r}: expected integers") from None


def _bind(func, args, kwargs):
    """Arguments by parameter, in order; lists become tuples."""
    bound = inspect.signature(func).bind(*args, **kwargs)
    bound.apply_defaults()
    flat = {}
    for name, parameter in bound.signature.parameters.items():
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            flat["*"] = tuple(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            flat.update(value)
        else:
            flat[name] = value
    return flat


@_site.entry
def _call(func, args, kwargs):
    try:
        return func(*args, **kwargs)
    except Exception as error:
        told = _errors.of_call(error)
        if told is None:
            raise
        raise told from None


def _build(kernel, plain, arrays, target, grid, after_pass):
    cores = kernel.cores(grid)
    if cores > 1 and target.generation < 3:
        raise _core.not_supported(f"a launch on {cores} cores of {target.name}")
    traces = [_trace_program(kernel, plain, arrays, target, grid, program) for program in range(cores)]
    first, made, results, single = traces[0]
    if any([t.shape for t in other] != [t.shape for t in results] for _, _, other, _ in traces):
        raise _core.validation_error(f"kernel '{kernel.__name__}' returns other tensors on core 1 than on core 0")
    check_use = kernel.options.get("check_use", True)
    with _trace.tracing(first):
        compiled = _core.compile([trace.core for trace, *_ in traces], target.preset, target.settings, check_use,
                                 _reorders(kernel), _spills(kernel), after_pass)
    executable = _run.Executable(compiled, [_run.Returned(t) for t in results], single, [t.name for t in made])
    executable.constants = dict(first.constants)
    executable.has_read_files = any(trace.has_read_files for trace, *_ in traces)
    executable.prints = [(text, name if core == 0 else f"{name}@1", f"core {core}" if cores > 1 else None)
                         for core, (trace, *_) in enumerate(traces) for text, name in trace.prints]
    for trace, *_ in traces[1:]:
        executable.constants.update({f"{name}@1": data for name, data in trace.constants.items()})
    return executable


def _trace_program(kernel, plain, arrays, target, grid, program, rank=(0, 1)):
    """The kernel as one of the cores runs it: the trace, its arguments and results. rank: of how many."""
    trace = _trace.Trace(kernel.__name__, target, grid, program, kernel.cores(grid), rank)
    place = trace.core.site([])
    made = []
    for array in arrays:
        shape, dtype = array.kind()
        view = trace.core.hbm(array.name, _run.INPUT, dtype, list(shape), place)
        made.append(NkiTensor(view, hbm, trace))
        if kernel.cores(grid) > 1:
            view.set_shared()
    values = _arguments.with_tensors(plain, made)
    args = values.pop("*", ())
    positional, keywords = _split(kernel.func, values)
    with _trace.tracing(trace):
        returned = kernel.trace(positional + list(args), keywords)
        if trace.loops:
            raise trace.left_loop()
        add_edges(trace, kernel.edges)
        results, single = _results(kernel, returned)
        _check_updates(kernel, arrays, made, results)
    return trace, made, results, single


def _reorders(kernel):
    """Whether instructions may leave the author's order: nki.jit(schedule=), or TERN_NKI_SCHEDULE."""
    wanted = kernel.options.get("schedule") or os.environ.get("TERN_NKI_SCHEDULE") or "list"
    if wanted not in ("list", "program"):
        raise _core.validation_error(f"schedule '{wanted}': expected list or program")
    return wanted == "list"


def _spills(kernel):
    """Whether tiles that do not fit into SBUF go to HBM: nki.jit(spill=), or TERN_NKI_SPILL=0."""
    return bool(kernel.options.get("spill", os.environ.get("TERN_NKI_SPILL") != "0"))


def _split(func, values):
    """Positional arguments up to *args, the rest by keyword."""
    positional, keywords = [], dict(values)
    for name, parameter in inspect.signature(func).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            positional.append(keywords.pop(name))
    return positional, keywords


def _results(kernel, returned):
    """The returned tensors, which become outputs; whether there is one and no tuple."""
    single = isinstance(returned, NkiTensor)
    what = f"kernel '{kernel.__name__}' returns "
    if not single and returned is not None and not isinstance(returned, (tuple, list)):
        raise _core.error_at(kernel.func, f"{what}{type(returned).__name__}: expected a tensor in HBM, or a tuple of them")
    tensors = (returned,) if single else tuple(returned or ())
    for tensor in tensors:
        if not isinstance(tensor, NkiTensor):
            raise _core.error_at(kernel.func, f"{what}a tuple with {type(tensor).__name__}: expected tensors in HBM")
        if tensor.buffer not in HBM:
            raise _core.error_at(kernel.func, f"{what}tensor `{tensor.name}` in '{tensor.buffer}': expected shared_hbm")
        if tensor._trace is not _trace.current():
            raise _core.error_at(kernel.func, f"{what}tensor `{tensor.name}`, which belongs to another kernel or call")
        if _trace.current().cores > 1 and tensor.buffer != shared_hbm and tensor._view.role in (0, _run.OUTPUT):
            raise _core.error_at(kernel.func, f"{what}tensor `{tensor.name}` in '{tensor.buffer}' of each core: expected shared_hbm")
        if not tensor.is_contiguous() or tensor.is_indirect():
            raise _core.not_supported(f"to return a part of tensor `{tensor.name}` that is not contiguous")
        tensor._view.set_returned()
    return tensors, single


def _check_updates(kernel, arrays, made, results):
    """Inputs that were written: returned, or declared mutable."""
    returned = {tensor.name for tensor in results}
    for array, tensor in zip(arrays, made):
        if tensor._view.role != _run.UPDATED or tensor.name in returned:
            continue
        annotation = kernel.func.__annotations__.get(array.parameter, "")
        if "mutable_tensor" not in str(annotation) and kernel.must_return(results):
            tensor._view.refuse_update()
        if not _arrays.can_update(array.value):
            raise _core.validation_error(f"kernel '{kernel.__name__}' updates argument `{tensor.name}`, whose array is "
                                         "read-only, and does not return it")
