# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a kernel or its call; messages have the place in the kernel."""
from . import _messages


class NkiError(Exception):
    """Base of all errors of this package."""


class NkiValidationError(NkiError, ValueError):
    """A limit of the hardware, a shape, a type, an address."""


class NkiAssertionError(NkiError, AssertionError):
    """Shapes that do not fit one another, where the interface promises an AssertionError."""


class NkiNotSupportedError(NkiError, NotImplementedError):
    """Part of the interface that this simulator does not have."""


class NkiRunError(NkiError, RuntimeError):
    """The simulated run failed."""


def of_call(error):
    """What Python has against a call of this package inside a kernel, as an error with the kernel's line; else None.

    It is of the original class, too.
    """
    if isinstance(error, NkiError):
        return None
    frames = _messages.frames_of(error)[1:]  # the first is that of the caller
    own = [not _messages.is_of_library(code.co_filename) for code, _ in frames]
    last = max((i for i, mine in enumerate(own) if mine), default=-1)
    if last < 0 or not _messages.is_of_package(frames[last][0].co_filename):
        return None  # the author's own code has raised it
    author = [frame for frame in frames if not _messages.is_of_package(frame[0].co_filename)]
    inner = max(i for i, frame in enumerate(frames) if frame in author) if author else -1
    names = [code.co_name for code, _ in frames[inner + 1:]]
    name = next((n for n in names if n != "call"), "")  # which functions that stand for others have
    message = _messages.message_of(error)
    if isinstance(error, KeyError):
        message = f"no {message}"
    if name.isidentifier() and not name.startswith("_") and name not in message:
        message = f"{name}: {message}"
    place = _messages.describe(author)
    try:
        kind = type(type(error).__name__, (NkiValidationError, type(error)), {"__str__": BaseException.__str__})
    except TypeError:
        kind = NkiValidationError
    kind.__module__ = "nki"
    try:
        return kind(f"{message}\n{place}" if place else message)
    except TypeError:  # a class with arguments of its own
        return NkiValidationError(f"{message}\n{place}" if place else message)
