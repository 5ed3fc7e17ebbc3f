# SPDX-License-Identifier: Apache-2.0
"""A kernel on several ranks, each a core of the chip with arguments of its own."""
import itertools

from . import _arguments, _core, _jit, _run, _target, _trace


def run_ranks(kernel, arguments, *, system=None, chips=None):
    """kernel(*arguments[r]) on rank r, all at the same time; what each returns, as a list.

    The ranks are cores 0, 1, .. of one chip. They meet in nki.collectives; kernel.last_run is the Profile of all.
    system: a preset (tern system ls) or a file: on the first chips of it, chip by chip, equally many cores of each.
    Without chips, each rank has one of its own.
    """
    if not isinstance(kernel, _jit.Kernel):
        raise _core.validation_error("run_ranks: expected a kernel, a function with @nki.jit")
    if not isinstance(arguments, (tuple, list)):
        raise _core.validation_error(f"run_ranks: expected a list with the arguments of each rank, got {type(arguments).__name__}")
    arguments = [tuple(of_rank) if isinstance(of_rank, (tuple, list)) else (of_rank,) for of_rank in arguments]
    target = _target.chosen(kernel.options.get("platform_target"))
    cores = _core.Kernel("cores", target.preset, target.settings).cores
    files = {}
    if system is not None:
        chips = len(arguments) if chips is None else chips
        _check_chips(len(arguments), system, chips, cores, target)
        files = {"system": system, "chips": str(chips)}
    elif chips is not None:
        raise _core.validation_error("run_ranks: chips without a system")
    elif not 2 <= len(arguments) <= cores:
        raise _core.validation_error(f"run_ranks: {len(arguments)} ranks: {target.name} has {cores} cores, and two are the least")
    traces, arrays, names, results, singles = [], [], [], [], []
    for rank, of_rank in enumerate(arguments):
        try:
            plain, own = _arguments.plain(_jit._bind(kernel.func, of_rank, {}))
        except TypeError as error:
            raise _core.validation_error(f"run_ranks: rank {rank}: {error}") from None
        trace, made, returned, single = _jit._trace_program(kernel, plain, own, target, 1, 0, (rank, len(arguments)))
        traces.append(trace)
        arrays += [array.value for array in own]
        names += [f"{tensor.name}@{rank}" for tensor in made]
        results.append([_run.Returned(t, f"@{rank}") for t in returned])
        singles.append(single)
    with _trace.tracing(traces[0]):
        compiled = _core.compile([trace.core for trace in traces], target.preset, target.settings,
                                 kernel.options.get("check_use", True), _jit._reorders(kernel), _jit._spills(kernel), None)
    executable = _run.Executable(compiled, list(itertools.chain(*results)), False, names)
    for rank, trace in enumerate(traces):
        executable.constants.update({f"{name}@{rank}": data for name, data in trace.constants.items()})
        executable.prints += [(text, f"{name}@{rank}", f"rank {rank}") for text, name in trace.prints]
    values, kernel.last_run = executable.run(arrays, files=files)
    values = iter(values or ())
    split = [tuple(itertools.islice(values, len(of_rank))) for of_rank in results]
    return [of_rank[0] if single else of_rank or None for of_rank, single in zip(split, singles)]


def _check_chips(ranks, system, chips, cores, target):
    if not isinstance(system, str) or not system or not system.isprintable():
        raise _core.validation_error("run_ranks: expected the name of a system or of its file")
    if isinstance(chips, bool) or not isinstance(chips, int) or chips < 1:
        raise _core.validation_error(f"run_ranks: chips={chips!r}: expected a whole number from 1 on")
    if not 2 <= ranks <= _core.most_ranks:
        raise _core.validation_error(f"run_ranks: {ranks} ranks: expected 2 to {_core.most_ranks}")
    if ranks % chips != 0 or ranks // chips > cores:
        raise _core.validation_error(f"run_ranks: {ranks} ranks on {chips} chips: expected as many on each, at most "
                                     f"{cores}, the cores of {target.name}")
