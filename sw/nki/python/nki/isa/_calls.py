# SPDX-License-Identifier: Apache-2.0
"""Calls of the interface as what others can wait for: names, depends_on, with_schedule."""
import functools

from .. import _core, _trace


class NkiInstruction:
    """What a call has recorded, by first and last number."""

    def __init__(self, trace, first, last):
        self._trace, self._first, self._last = trace, first, last

    def depends_on(self, *producers):
        """Begins when all of these are complete."""
        for producer in producers:
            if not isinstance(producer, NkiInstruction) or producer._trace is not self._trace:
                raise _core.validation_error(f"depends_on: {type(producer).__name__} is no instruction of this kernel")
            for after in range(self._first, self._last + 1):
                for before in range(producer._first, producer._last + 1):
                    self._trace.core.add_edge(after, before)
        return self


def noted(function):
    """The function, which returns its instruction."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        if not _trace.is_tracing():
            return function(*args, **kwargs)
        trace = _trace.current()
        first = trace.core.instruction_count
        function(*args, **kwargs)
        made = NkiInstruction(trace, first + 1, trace.core.instruction_count)
        if kwargs.get("name"):
            trace.named.setdefault(str(kwargs["name"]), []).append(made)
        return made
    return call


def add_edges(trace, pairs):
    """Of with_schedule: (consumer, producers) by name."""
    for consumer, producers in pairs:
        for producer in producers:
            for name in (consumer, producer):
                if name not in trace.named:
                    known = ", ".join(sorted(trace.named)) or "none has a name"
                    raise _core.validation_error(f"with_schedule: no instruction is named {name!r}; there are: {known}")
            for instruction in trace.named[consumer]:
                instruction.depends_on(*trace.named[producer])
