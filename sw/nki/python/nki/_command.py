# SPDX-License-Identifier: Apache-2.0
"""tern nki run FILE.py::FUNCTION: one kernel on arrays made for it."""
import argparse
import ast
import contextlib
import importlib.machinery
import importlib.util
import inspect
import os
import re
import shlex
import signal
import sys

import numpy as np

from . import _arrays, _core, _target
from ._errors import NkiError, NkiRunError
from ._files import NoOutput, OutputFile, Refused, check_readable, load_array, reason, report_folder, tell
from ._jit import Kernel, jit
from ._made import FILLS, Made
from ._messages import printable, printable_lines, text_of
from .dtype import NUMPY, dtype_of

FAILURE, USAGE, INTERRUPTED = 1, 2, 130
# Names in the folder of a report.
_OF_REPORT = re.compile(r"report\.json|.*\.(html|md|csv|svg)")
# What can only be an array: sizes, a type, and what fills it.
_ARRAY = re.compile(r"([0-9][0-9xX*, ]*):(\w*)(?::(.*))?")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(f"nki run: {message} (see 'tern nki run --help')")


def _seed(text):
    if not re.fullmatch("[0-9]{1,19}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on, got '{text}'")
    return int(text)


def parser():
    passes = _core.passes()
    parse = Parser(
        prog="tern nki run", description="Runs one kernel of a Python file on a simulated chip.",
        epilog="Arguments without --arg take the default of their parameter. Example: tern nki run add.py::add_kernel "
               "--arg a=128x512:float32:random --arg b=b.npy --output out.npy")
    parse.add_argument("kernel", metavar="FILE.py::FUNCTION")
    parse.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE",
                       help="an array, SHAPE:DTYPE:random|zeros|ones (128x512:bfloat16:random) or FILE.npy, "
                            "FILE.npy:bfloat16 for the bits of that type, "
                            "or a number, True, False, None, a string")
    parse.add_argument("--seed", type=_seed, default=1, help="of random arrays, from 0 on (default 1)")
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
    parse.add_argument("--no-spill", action="store_true",
                       help="old style: refuse tiles that do not fit into SBUF instead of moving them to HBM and back")
    parse.add_argument("--dump-after", action="append", default=[], metavar="PASS", choices=passes,
                       help=f"print the kernel after a pass: {', '.join(passes)}")
    return parse


def load_kernel(text):
    path, separator, name = text.rpartition("::")
    if not separator:
        raise Refused(f"{text}: expected FILE.py::FUNCTION")
    check_readable(path)
    if not os.path.isfile(path):
        raise Refused(f"{path}: not a regular file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    stem = os.path.splitext(os.path.basename(path))[0]
    if stem in sys.modules or stem in sys.stdlib_module_names:
        stem = f"kernels_{stem}"  # the file does not take the place of a module that it may import
    loader = importlib.machinery.SourceFileLoader(stem, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(stem, path, loader=loader))
    try:
        code = loader.get_code(stem)
    except SyntaxError as error:
        if error.filename:
            raise
        raise Refused(f"{path}: {reason(error)}") from None
    except (OSError, ValueError, MemoryError, RecursionError, EOFError) as error:
        raise Refused(f"{path}: {reason(error)}") from None
    sys.modules[stem] = module
    exec(code, vars(module))  # noqa: S102: as an import does
    function = getattr(module, name, None)
    if not callable(function) or isinstance(function, type):
        kernels = [n for n, value in vars(module).items() if isinstance(value, Kernel)]
        raise Refused(f"{path}: no function '{name}'" + (f", there are {', '.join(kernels)}" if kernels else ""))
    return function if isinstance(function, Kernel) else jit(function)


def array_of(shape_text, dtype_text, fill, random):
    if fill is None or not re.fullmatch("[0-9]+(x[0-9]+)*", shape_text):
        raise ValueError("expected SHAPE:DTYPE:random|zeros|ones with sizes as in 128x512, FILE.npy, or a string in quotes")
    if fill not in FILLS:
        raise ValueError(f"expected random, zeros or ones, got '{fill}'")
    return Made(tuple(int(n) for n in shape_text.split("x")), dtype_of(dtype_text), fill, random)


def value_of(name, text, random):
    """The value of an --arg."""
    array = _ARRAY.fullmatch(text)
    try:
        if text.endswith(".npy"):
            check_readable(text)
            array_read = load_array(text)
            _arrays.dtype_of_array(array_read)  # it has a type that kernels know
            return array_read
        path, _, dtype = text.rpartition(":")
        if path.endswith(".npy"):  # bits, which the file cannot name
            check_readable(path)
            return _arrays.of_type(load_array(path), dtype)
        if array is not None:
            return array_of(*array.groups(), random)
    except (Refused, NkiError) as error:
        raise Refused(f"--arg {name}: {str(error).splitlines()[0]}") from None
    except Exception as error:  # whatever numpy has against a file
        raise Refused(f"--arg {name}={text}: {reason(error)}") from None
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text


def arguments_of(kernel, options):
    random = np.random.default_rng(options.seed)
    given = {}
    for item in options.arg:
        name, separator, text = item.partition("=")
        if not separator:
            raise Refused(f"--arg {item}: expected NAME=VALUE")
        given[name] = value_of(name, text, random)
    parameters = inspect.signature(kernel.func).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in given:
        if name not in parameters and not takes_any:
            raise Refused(f"--arg {name}: kernel '{kernel.__name__}' has {', '.join(parameters) or 'no parameters'}")
    for name, parameter in parameters.items():
        if name not in given and parameter.default is inspect.Parameter.empty and parameter.kind not in (
                parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Refused(f"kernel '{kernel.__name__}' needs --arg {name}=SHAPE:DTYPE:random")
    return given


def _check_files(options):
    """Files have names, none is written twice, and none is the kernel's own; devices may be."""
    writers = {}
    source = os.path.realpath(options.kernel.rpartition("::")[0])
    report = options.report and os.path.realpath(options.report)
    for option, path in [("--report", options.report), *[("--output", path) for path in options.output],
                         ("--trace", options.trace), ("--wave", options.wave)]:
        if path == "":
            raise Refused(f"{option}: expected a name, got ''")
        if path is None or option == "--report" or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        real = os.path.realpath(path)
        if real == source:
            raise Refused(f"{option} {path}: this is the file of the kernel")
        if os.path.dirname(real) == report and _OF_REPORT.fullmatch(os.path.basename(real)):
            raise Refused(f"{option} {path}: --report writes this file, too")
        if real in writers:
            raise Refused(f"{option} {path}: {writers[real]} writes this file, too")
        writers[real] = option


def run(options, arguments):
    if options.target:
        os.environ[_target.VARIABLE] = options.target
    chip = options.set + ([] if options.tensor == "model" else [f"tensor={options.tensor}"])
    if chip:
        os.environ[_target.SETTINGS] = ",".join(chip)
    _check_files(options)
    folder = os.getcwd()
    kernel = load_kernel(options.kernel)
    if options.no_check:
        kernel.options["check_use"] = False
    if options.no_spill:
        kernel.options["spill"] = False
    if options.schedule:
        kernel.options["schedule"] = options.schedule
    given = arguments_of(kernel, options)
    to_fill = {name: value for name, value in given.items() if isinstance(value, Made)}
    given.update({name: made.array for name, made in to_fill.items()})

    def after_pass(name, text):
        if name in options.dump_after:
            tell(f"# after {name}\n{printable_lines(text)}".rstrip("\n"))

    executable, arrays = kernel.build(grid=options.cores, after_pass=after_pass if options.dump_after else None, **given)
    if len(options.output) > executable.result_count:
        raise Refused(f"--output {options.output[executable.result_count]}: kernel '{kernel.__name__}' returns "
                      f"{executable.result_count} tensors")
    if re.search("[\x00-\x1f\x7f-\x9f]", options.wave or ""):  # the process that writes it prints its name
        raise Refused(f"--wave {options.wave}: a name with control characters")
    os.chdir(folder)  # the kernel may have left it
    for name, made in to_fill.items():
        made.fill(name)
    files = {"report": os.fsencode(options.report or ""), "wave": os.fsencode(options.wave or ""),
             "kernel": os.fsencode(kernel.__name__), "command": os.fsencode("tern nki run " + shlex.join(arguments))}
    with contextlib.ExitStack() as stack:
        if options.report:
            stack.enter_context(report_folder(options.report))  # other files of this run may go there, too
        outputs = [stack.enter_context(OutputFile(path)) for path in options.output]
        result, profile = executable.run(arrays, os.fsencode(options.trace or ""), files=files)
        results = result if isinstance(result, tuple) else () if result is None else (result,)
        for path, output, array in zip(options.output, outputs, results):
            try:
                np.save(output, _arrays.storable(array))
                output.commit()
            except OSError as error:
                raise NkiRunError(f"{path}: write failed: {reason(error)}") from None
    target = _target.chosen(kernel.options.get("platform_target"))
    lines = [f"nki: {kernel.__name__} on {target.preset}: {profile.latency_us:.3f} us, "
             f"{sum(profile.instructions)} instructions"]
    if profile.spilled_bytes or profile.repeated_bytes:
        lines.append(f"  SBUF exhausted: {profile.spilled_bytes} bytes stored in HBM, {profile.reloaded_bytes} loaded back, "
                     f"{profile.repeated_bytes} by repeated loads")
    for i, array in enumerate(results):
        kind, stored = executable.result_types[i], _arrays.storable(array).dtype
        line = f"  result {i}: {list(array.shape)} {kind}"
        if i < len(options.output) and kind not in NUMPY:
            line += f"; {options.output[i]} has its bits as {stored}"
        lines.append(line)
    if options.report:
        lines.append(f"  report   {os.path.join(options.report, 'report.html')}")
    for what, path in (("trace", options.trace), ("waveform", options.wave)):
        if path:
            lines.append(f"  {what:<8} {path}")
    tell("\n".join(printable(line) for line in lines))
    return 0


def _terminated(number, _frame):
    """Files that are not complete go, as after Ctrl-C."""
    raise SystemExit(128 + number)


def _complain(message, code):
    print(f"tern: {printable_lines(message)}", file=sys.stderr)
    return code


def _silence():
    """Nothing more to standard output: Python would complain about it at the end."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments):
    signal.signal(signal.SIGTERM, _terminated)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, _terminated)
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return run(parser().parse_args(arguments), arguments)
    except Refused as error:
        return _complain(printable(error), USAGE)
    except NkiRunError as error:
        return _complain(error, FAILURE)
    except NkiError as error:
        return _complain(error, USAGE)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _silence()
        return FAILURE
    except NoOutput as error:
        _silence()
        return _complain(error, FAILURE)
    except Exception as error:  # the author's own
        sys.stderr.write(text_of(error, is_command=True))
        return USAGE
