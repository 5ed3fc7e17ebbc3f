# SPDX-License-Identifier: Apache-2.0
"""tern nki run FILE.py::FUNCTION: one kernel on arrays made for it."""
import argparse
import ast
import contextlib
import importlib.util
import inspect
import os
import shlex
import sys
import traceback

import numpy as np

from . import _arrays, _target
from ._errors import NkiError, NkiRunError
from ._jit import Kernel, jit
from .dtype import dtype_of

FAILURE, USAGE = 1, 2


class Refused(Exception):
    """Wrong arguments: one line."""


def parser():
    parse = argparse.ArgumentParser(
        prog="tern nki run", description="Runs one kernel of a Python file on a simulated chip.",
        epilog="Arguments without --arg take the default of their parameter. Example: tern nki run add.py::add_kernel "
               "--arg a=128x512:float32:random --arg b=b.npy --output out.npy")
    parse.add_argument("kernel", metavar="FILE.py::FUNCTION")
    parse.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE",
                       help="an array, SHAPE:DTYPE:random|zeros|ones (128x512:bfloat16:random) or FILE.npy, "
                            "FILE.npy:bfloat16 for the bits of that type, "
                            "or a number, True, False, None, a string")
    parse.add_argument("--seed", type=int, default=1, help="of random arrays (default 1)")
    parse.add_argument("--target", help="trn1, trn2 or trn3 (default: NEURON_PLATFORM_TARGET_OVERRIDE, or trn3)")
    parse.add_argument("--cores", type=int, choices=(1, 2), default=1, help="launch it on so many cores, as kernel[2](..)")
    parse.add_argument("--tensor", choices=("model", "rtl", "both"), default="model",
                       help="the tensor engine: the fast model, Verilated RTL, or both in lockstep")
    parse.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                       help="a setting of the chip, as in tern config show")
    parse.add_argument("--output", action="append", default=[], metavar="FILE.npy", help="a result, in order")
    parse.add_argument("--report", metavar="DIR", help="write a page, where the time went by engine and line, to this folder")
    parse.add_argument("--wave", metavar="FILE.fst",
                       help="write a waveform for GTKWave: queues, semaphores, transfers, and the RTL of --tensor rtl")
    parse.add_argument("--trace", metavar="FILE", help="write a timeline for ui.perfetto.dev, with the kernel's lines")
    parse.add_argument("--no-check", action="store_true",
                       help="accept memory that is read before it is written, and outputs that nothing stores")
    parse.add_argument("--schedule", choices=("list", "program"),
                       help="the order of instructions: the scheduler's (default), or as written")
    parse.add_argument("--dump-after", action="append", default=[], metavar="PASS",
                       help="print the kernel after a pass: author_order, check_use, accumulate, drop_dead, engines, legalize, schedule, allocate")
    return parse


def load_kernel(text):
    path, separator, name = text.rpartition("::")
    if not separator:
        raise Refused(f"{text}: expected FILE.py::FUNCTION")
    if not os.path.isfile(path):
        raise Refused(f"{path}: no such file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        kernels = [n for n, value in vars(module).items() if isinstance(value, Kernel)]
        raise Refused(f"{path}: no function '{name}'" + (f", there are {', '.join(kernels)}" if kernels else ""))
    return function if isinstance(function, Kernel) else jit(function)


def array_of(text, random):
    shape_text, dtype_text, fill = text.split(":")
    shape = tuple(int(n) for n in shape_text.split("x"))
    dtype = dtype_of(dtype_text)
    if fill == "random":
        integer = str(dtype).startswith(("int", "uint"))
        values = random.integers(0, 100, shape) if integer else random.standard_normal(shape).astype(np.float32)
    elif fill in ("zeros", "ones"):
        values = np.full(shape, 1 if fill == "ones" else 0)
    else:
        raise ValueError(f"expected random, zeros or ones, got '{fill}'")
    return _arrays.array(values, dtype)


def value_of(text, random):
    """The value of an --arg."""
    try:
        if text.endswith(".npy"):
            return np.load(text)
        path, _, dtype = text.rpartition(":")
        if path.endswith(".npy"):  # bits, which the file cannot name
            return _arrays.of_type(np.load(path), dtype)
        if text.count(":") == 2:
            return array_of(text, random)
    except (OSError, ValueError, NkiError) as error:
        raise Refused(f"--arg {text}: {str(error).splitlines()[0]}") from None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def arguments_of(kernel, options):
    random = np.random.default_rng(options.seed)
    given = {}
    for item in options.arg:
        name, separator, text = item.partition("=")
        if not separator:
            raise Refused(f"--arg {item}: expected NAME=VALUE")
        given[name] = value_of(text, random)
    parameters = inspect.signature(kernel.func).parameters
    for name in given:
        if name not in parameters:
            raise Refused(f"--arg {name}: kernel '{kernel.__name__}' has {', '.join(parameters)}")
    for name, parameter in parameters.items():
        if name not in given and parameter.default is inspect.Parameter.empty and parameter.kind not in (
                parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Refused(f"kernel '{kernel.__name__}' needs --arg {name}=SHAPE:DTYPE:random")
    return given


def run(options, arguments):
    if options.target:
        os.environ[_target.VARIABLE] = options.target
    chip = options.set + ([] if options.tensor == "model" else [f"tensor={options.tensor}"])
    if chip:
        os.environ[_target.SETTINGS] = ",".join(chip)
    kernel = load_kernel(options.kernel)
    if options.no_check:
        kernel.options["check_use"] = False
    if options.schedule:
        kernel.options["schedule"] = options.schedule
    given = arguments_of(kernel, options)

    def after_pass(name, text):
        if name in options.dump_after:
            print(f"# after {name}\n{text}", end="")

    executable, arrays = kernel.build(grid=options.cores, after_pass=after_pass if options.dump_after else None, **given)
    files = {"report": options.report or "", "wave": options.wave or "", "kernel": kernel.__name__,
             "command": "tern nki run " + shlex.join(arguments)}
    if options.report:
        os.makedirs(options.report, exist_ok=True)  # other files of this run may go there, too
    result, profile = executable.run(arrays, options.trace or "", files=files)
    results = result if isinstance(result, tuple) else () if result is None else (result,)
    target = _target.chosen(kernel.options.get("platform_target"))
    print(f"nki: {kernel.__name__} on {target.preset}: {profile.latency_us:.3f} us, "
          f"{sum(profile.instructions)} instructions")
    for i, array in enumerate(results):
        print(f"  result {i}: {list(array.shape)} {_arrays.dtype_of_array(array)}")
    for path, array in zip(options.output, results):
        np.save(path, np.asarray(array))
    if options.report:
        print(f"  report   {os.path.join(options.report, 'report.html')}")
    for what, path in (("trace", options.trace), ("waveform", options.wave)):
        if path:
            print(f"  {what:<8} {path}")
    return 0


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        return run(options, arguments)
    except Refused as error:
        print(f"tern: {error}", file=sys.stderr)
        return USAGE
    except NkiRunError as error:
        print(f"tern: {error}", file=sys.stderr)
        return FAILURE
    except NkiError as error:
        print(f"tern: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("tern: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except Exception:  # the author's own: Python's message says where
        traceback.print_exc()
        return USAGE
