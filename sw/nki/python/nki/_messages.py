# SPDX-License-Identifier: Apache-2.0
"""Text for the terminal: printable text, and errors with the author's lines, without the frames of this package.

It imports nothing of the package: `tern nki python` uses it even if the package cannot be imported.
"""
import itertools
import os
import re
import sys
import sysconfig
import traceback

_HERE = os.path.dirname(os.path.abspath(__file__))
# This package, and that of NKI 0.1 beside it.
PACKAGES = (_HERE + os.sep, os.path.join(os.path.dirname(_HERE), "neuronxcc") + os.sep)
_LIBRARY = re.compile(r"[/\\](site|dist)-packages[/\\]")
_STANDARD = sysconfig.get_paths()["stdlib"] + os.sep
_MAX_FRAMES = 20
# As app::printable(): control characters, halves of characters, what changes the direction of writing.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def printable(text):
    """For one line of a terminal: tabs and ends of lines become blanks, what is not printable U+FFFD."""
    return _UNPRINTABLE.sub("\ufffd", re.sub("[\t\r\n]", " ", str(text)))


def printable_lines(text):
    """The same for a message of several lines: it keeps their ends."""
    return "\n".join(printable(line) for line in str(text).split("\n"))


def shortened(value):
    """A value for a message."""
    text = printable(repr(value))
    return text if len(text) <= 60 else text[:57] + "..."


def position(code, instruction):
    """(file, function, line, end line, column, end column) of an instruction; columns are -1 if they are unknown."""
    line, end_line, column, end_column = next(itertools.islice(code.co_positions(), instruction // 2, None))
    line = line or code.co_firstlineno
    known = column is not None and end_column is not None
    return (code.co_filename, code.co_name, line, end_line or line, column if known else -1, end_column if known else -1)


def is_of_package(file):
    return file.startswith(PACKAGES)


def _is_internal(file):
    return is_of_package(file) or file.startswith("<frozen ")


def is_of_library(file):
    return file.startswith(_STANDARD) or _LIBRARY.search(file) is not None


def frames_of(error, keep=lambda file: True):
    """Code and instruction of the frames that an error has passed, the outermost first."""
    frames, step = [], error.__traceback__
    while step is not None:
        if keep(step.tb_frame.f_code.co_filename):
            frames.append((step.tb_frame.f_code, step.tb_lasti))
        step = step.tb_next
    return frames


def message_of(error):
    """An error's text, without the arguments that bindings print."""
    text = str(error)
    if "incompatible function arguments" in text:
        return "an argument of a type or size that it does not take"
    if "Unable to cast Python instance" in text:
        return "a number or a text that it cannot take"
    if isinstance(error, MemoryError) and not text:
        return "not enough memory"
    return text


def describe(frames):
    """Places as text: the innermost with its line and a mark, then those that have called it."""
    core = sys.modules.get("_tern_nki")
    author = [frame for frame in frames if not is_of_library(frame[0].co_filename)] or frames
    places = [position(*frame) for frame in reversed(author)][:_MAX_FRAMES]
    return core.describe(places) if core is not None and places else ""


def _is_ours(error):
    return any(kind.__name__ == "NkiError" and kind.__module__.split(".")[0] == "nki" for kind in type(error).__mro__)


def _came_through_package(error):
    internal = [_is_internal(code.co_filename) for code, _ in frames_of(error)]
    first = internal.index(False) if False in internal else len(internal)
    return any(is_of_package(code.co_filename) for code, _ in frames_of(error)[first:])


def _syntax_error(error):
    text = f"{type(error).__name__}: {error.msg}\n  at {error.filename}" + (f":{error.lineno}" if error.lineno else "")
    line = (error.text or "").rstrip("\n")
    if line.strip():
        start = len(line) - len(line.lstrip())
        text += f"\n    {line.strip()}"
        if error.offset:
            text += "\n    " + " " * max(error.offset - 1 - start, 0) + "^"
    for code, instruction in reversed(frames_of(error, lambda file: not _is_internal(file))[:_MAX_FRAMES]):
        text += "\n  called from {}:{}, in {}".format(*(position(code, instruction)[i] for i in (0, 2, 1)))
    return text


def short(error):
    """What is wrong in one line, then the author's places."""
    if isinstance(error, SyntaxError) and error.filename:
        return _syntax_error(error)
    if not _is_ours(error):
        message = message_of(error)
        text = f"{type(error).__name__}: {message}" if message else type(error).__name__
        place = describe(frames_of(error, lambda file: not _is_internal(file)))
        return f"{text}\n{place}" if place else text
    text = str(error)
    if "\n  at " not in text:
        place = describe(frames_of(error, lambda file: not _is_internal(file)))
        return f"{text}\n{place}" if place else text
    callers = []  # from the start of the script to the call of the kernel
    for code, instruction in frames_of(error, lambda file: not file.startswith("<frozen ")):
        if not is_of_package(code.co_filename):
            callers.append(position(code, instruction))
        elif callers:
            break
    for file, function, line, *_ in reversed(callers[-_MAX_FRAMES:]):
        caller = f"\n  called from {file}:{line}, in {function}"
        text += caller if f"{file}:{line}, in {function}" not in text else ""
    return text


def hidden_module(error):
    """A file of the author that Python or the package takes for a module of its own; empty if there is none."""
    if not isinstance(error, (ImportError, AttributeError)):
        return ""
    for code, _ in frames_of(error, lambda file: not _is_internal(file) and not is_of_library(file)):
        name, ending = os.path.splitext(os.path.basename(code.co_filename))
        if ending == ".py" and (name in sys.stdlib_module_names or name in ("nki", "neuronxcc", "numpy")):
            return f"{code.co_filename} hides the module {name}: another name for this file helps"
    return ""


def _without_internal(found):
    found.stack[:] = [frame for frame in found.stack if not _is_internal(frame.filename)]
    for other in (found.__cause__, found.__context__):
        if other is not None:
            _without_internal(other)
    return found


def text_of(error, is_command=False):
    """An error that ends a script or a command."""
    no_place = not frames_of(error, lambda file: not _is_internal(file))
    if is_command or no_place or _is_ours(error) or _came_through_package(error) or isinstance(error, SyntaxError):
        text = f"tern: {short(error)}\n"
    else:  # the author's alone: as Python shows it
        text = "".join(_without_internal(traceback.TracebackException.from_exception(error)).format())
    hidden = hidden_module(error)
    return printable_lines(text + (f"tern: {hidden}\n" if hidden else ""))


def show(_kind, error, _traceback):
    """sys.excepthook."""
    sys.stderr.write(text_of(error))
