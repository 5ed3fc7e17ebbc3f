# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels, their runs, and what a run has measured."""
import os

from . import _arrays, _core, _messages

INPUT, OUTPUT, UPDATED, CONSTANT = 1, 2, 3, 4


class Profile:
    """What a run took: latency in us, and the instructions with their places and times in ns.

    start_us and end_us are the parts of the latency before and after the kernel's own instructions.
    Tiles that did not fit into SBUF: bytes stored in HBM, loaded back, and of the author's loads that are repeated.
    """

    def __init__(self, result, instructions, spilled=(0, 0, 0)):
        self.latency_us = result["latency_fs"] / 1e9
        self.start_us, self.end_us = result["start_fs"] / 1e9, result["end_fs"] / 1e9
        self.spilled_bytes, self.reloaded_bytes, self.repeated_bytes = spilled
        self.instructions = instructions  # of each queue: tensor, vector, scalar, gpsimd, sync
        self.spans = [Span(*span) for span in result["spans"]]


class Span:
    def __init__(self, lane, name, source, begin_fs, end_fs):
        self.lane, self.name, self.source = lane, name, source
        self.begin_ns, self.end_ns = begin_fs / 1e6, end_fs / 1e6


def program():
    """The simulator: named by `tern nki`, or found next to the package."""
    named = os.environ.get("TERN_PROGRAM")
    if named:
        return named
    folder = os.path.dirname(os.path.realpath(_core._tern_nki.__file__))
    for place in ("../../bin/tern", "../../../bin/tern", "../../../../bin/tern"):  # in lib/python, lib/tern/python, lib/ARCH/..
        found = os.path.normpath(os.path.join(folder, place))
        if os.access(found, os.X_OK):
            return found
    raise _core.validation_error("the program tern is not next to the package: set TERN_PROGRAM to its path")


class Returned:
    """A tensor that a kernel returns: of which one in HBM, and which run of its elements."""

    def __init__(self, tensor, rank=""):
        self.name, self.shape, self.dtype = tensor.name + rank, tensor.shape, tensor.dtype
        self.first, self.count = tensor.offset, tensor.size
        self.is_all = self.count * self.dtype.itemsize == tensor._view.storage_bytes and (
            self.dtype == tensor._view.storage_type)

    def of(self, array):
        if self.is_all:
            return array.reshape(self.shape)
        size = self.dtype.itemsize
        data = _arrays.to_bytes(array)[self.first * size:(self.first + self.count) * size]
        return _arrays.from_bytes(data.tobytes(), self.shape, self.dtype)


class Executable:
    """A kernel built for arguments of certain shapes."""

    def __init__(self, compiled, results, single, arguments):
        self._compiled = compiled
        self._results = results  # of the kernel, each Returned
        self._single = single
        self._arguments = arguments  # names of inputs, in the order of the arrays
        self.constants = {}
        self.has_read_files = False  # which may change
        self.prints = []  # text, tensor and place of device_print()

    @property
    def result_count(self):
        return len(self._results)

    @property
    def result_types(self):
        return [result.dtype for result in self._results]

    def run(self, arrays, trace_file="", wants_spans=False, files=None):
        """files: where a report and a waveform go, and of which kernel and command they are."""
        inputs = {name: _bytes_of(name, array) for name, array in zip(self._arguments, arrays)}
        inputs.update(self.constants)
        roles = {name: (role, dtype, shape) for name, role, dtype, shape in self._compiled.tensors}
        result = self._compiled.run(program(), {name: data for name, data in inputs.items() if name in roles},
                                    trace_file, wants_spans, files or {})
        outputs = {name: _arrays.from_bytes(data, roles[name][2], roles[name][1])
                   for name, data in result["outputs"].items()}
        for text, name, where in self.prints:
            _print(text, outputs[name], where)
        for name, array in zip(self._arguments, arrays):
            # Of arguments that cannot change the kernel returns the values.
            if roles.get(name, (None,))[0] == UPDATED and _arrays.can_update(array):
                _arrays.update(array, outputs[name])
        profile = Profile(result, self._compiled.instructions, self._compiled.spilled)
        given = dict(zip(self._arguments, arrays))  # an argument may be returned as it is
        values = tuple(returned.of(outputs[returned.name] if returned.name in outputs else given[returned.name])
                       for returned in self._results)
        if not values:
            return None, profile
        return (values[0] if self._single else values), profile


def _print(text, array, where):
    """A tensor of device_print, when the kernel has ended."""
    text = _messages.printable(text)
    values = array.float() if isinstance(array, _arrays.TypedArray) else array
    print(text if where is None else f"{where}: {text}")
    print(values)


def _bytes_of(name, array):
    try:
        return _arrays.to_bytes(array)
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        kind = f"{type(array).__module__}.{type(array).__name__}"
        raise _core.validation_error(f"argument `{name}`, {kind}: {str(error).splitlines()[0]}") from None
