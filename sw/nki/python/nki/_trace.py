# SPDX-License-Identifier: Apache-2.0
"""The kernel that is being traced."""
import ast
import contextlib
import linecache
import re
import threading

from . import _core, _messages, _site

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(?::[^=]+)?=[^=]")
_MOST_NAME = 200  # characters
_local = threading.local()  # each thread has its own kernel


class Trace:
    """A kernel in the making: the core's object, and what Python knows of it."""

    def __init__(self, name, target, grid, program=0, cores=1, rank=(0, 1)):
        self.core = _core.Kernel("".join(c if c.isprintable() else "_" for c in name[:_MOST_NAME]) or "kernel", target.preset, target.settings)
        self.name, self.target = name, target
        self.grid, self.program, self.cores = grid, program, cores
        self.rank, self.ranks = rank
        self.core.set_program(program, cores)
        self.core.set_rank(*rank)
        self.constants = {}  # bytes of tensors in HBM that the kernel brings
        self.has_read_files = False
        self._sites = {}
        self._blocks = 0
        self.registers = 0  # how many are in use
        self.named = {}  # instructions by the author's name
        self.prints = []  # text, tensor and shape of device_print()
        self.scatters = []  # what follows the instruction in the making
        self.loops = []  # dynamic ones that are open: where they begin
        self.while_loops = []  # those of `while register:`: place and register, and which one it is

    def place(self):
        key = _site.key()
        found = self._sites.get(key)
        if found is None:
            found = self._sites[key] = self.core.site(_site.frames_of(key))
        return found

    @contextlib.contextmanager
    def ordered(self):
        """Instructions recorded now stay in their order."""
        outer = self.core.block
        if outer == 0:
            self._blocks += 1
            self.core.block = self._blocks
        try:
            yield
        finally:
            self.core.block = outer

    def left_loop(self):
        """The innermost loop is open where it cannot be."""
        return _core.error_of(self.loops[-1], f"kernel '{self.name}' leaves a dynamic loop by break or return")

    def record(self, function, operands, options, name):
        if name is not None and not isinstance(name, str):
            raise _core.validation_error(f"name={_messages.shortened(name)} of '{function}': expected a string")
        self.core.record(function, operands, options, (name or "").encode("utf-8", "replace"), self.place())


def sizes_of(grid):
    """Programs along each dimension of a launch."""
    return grid if isinstance(grid, tuple) else (grid,)


def _current():
    return getattr(_local, "trace", None)


def current(what="this"):
    trace = _current()
    if trace is None:
        raise _core.validation_error(f"{what} belongs into a kernel: call it in a function with @nki.jit")
    return trace


def is_tracing():
    return _current() is not None


class tracing:
    """with tracing(trace): the body is the kernel."""

    def __init__(self, trace):
        self.trace = trace

    def __enter__(self):
        self.before = _current()
        _local.trace = self.trace
        return self.trace

    def __exit__(self, *_):
        _local.trace = self.before


def _assigned_on_line(text, column):
    match = _NAME.match(text)
    if match is None or ";" not in text:
        return match.group(1) if match else ""
    line = text.strip()
    at = len(text[:column].encode()) - (len(text) - len(text.lstrip())) if column >= 0 else 0
    try:
        for statement in ast.parse(line).body:  # the one that has the call
            if isinstance(statement, ast.Assign) and statement.col_offset <= at < statement.end_col_offset:
                target = statement.targets[0]
                return target.id if isinstance(target, ast.Name) else ""
    except (SyntaxError, ValueError):
        pass
    return match.group(1)


def assigned_name():
    """The variable that the author's line assigns, for messages: x of `x = nl.ndarray(...)`."""
    for file, _, line, _, column, _ in _site.frames():
        text = linecache.getline(file, line)
        name = _assigned_on_line(text, column)
        if name:
            return name
        if not text.lstrip().startswith("return "):  # of a helper: its caller assigns
            break
    return ""
