# SPDX-License-Identifier: Apache-2.0
"""Files that a command reads and writes: arrays in .npy, results under their names only when they are complete."""
import contextlib
import os
import stat
import tokenize

import numpy as np


class Refused(Exception):
    """Wrong arguments: one line."""


def reason(error):
    """Why something did not work, in one line."""
    if isinstance(error, MemoryError):
        return str(error) or "not enough memory"
    first = error.args[0] if error.args and isinstance(error.args[0], str) else error  # without the rest of a tuple
    return (getattr(error, "strerror", None) or str(first) or type(error).__name__).splitlines()[0]


def check_readable(path):
    if os.path.isdir(path):
        raise Refused(f"{path}: this is a folder, a file was expected")
    if not os.path.exists(path):
        raise Refused(f"{path}: no such file")


def load_array(path):
    """One array of a .npy file; its header must fit the file."""
    with open(path, "rb") as file:
        if file.read(2) == b"PK":
            raise ValueError("an archive (.npz), expected one array (.npy)")
    if not os.path.isfile(path):
        raise ValueError("not a regular file")
    try:
        # Mapped first: a header that promises more than there is costs no memory.
        with np.errstate(all="ignore"):
            return np.array(np.load(path, mmap_mode="r"))
    except (ValueError, SyntaxError, TypeError, EOFError, tokenize.TokenError, RecursionError) as error:
        short = "mmap length" in str(error)
        raise ValueError("cut: its header promises more" if short else f"no valid .npy file: {reason(error)}") from None


class NoOutput(Exception):
    """Standard output takes no more."""


def tell(text):
    """A line on standard output, at once."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NoOutput(f"standard output: {reason(error)}") from None


class OutputFile:
    """FILE.partial until commit() gives it its name; without that it is removed. Devices and pipes are written directly."""

    def __init__(self, path):
        self._path, self._partial = path, None
        try:
            if os.path.isdir(path):
                raise Refused(f"--output {path}: cannot write: this is a folder, a file was expected")
            if os.path.exists(path) and not os.path.isfile(path):
                self._file = open(path, "wb")
                return
            partial = os.path.realpath(path) + ".partial"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial)
            number = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            self._partial, self._file = partial, os.fdopen(number, "wb")
        except (OSError, ValueError) as error:
            raise Refused(f"--output {path}: cannot write: {reason(error)}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self._file.close()
        if self._partial is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._partial)

    def write(self, data):
        self._file.write(data)

    def commit(self):
        self._file.close()
        if self._partial is None:
            return
        final = os.path.realpath(self._path)
        with contextlib.suppress(OSError):
            os.chmod(self._partial, stat.S_IMODE(os.stat(final).st_mode))
        os.replace(self._partial, final)
        self._partial = None


@contextlib.contextmanager
def report_folder(path):
    """The folder of a report; what was made for it goes again if nothing came into it."""
    made = []
    absent = os.path.abspath(path)
    while not os.path.exists(absent):
        made.append(absent)
        absent = os.path.dirname(absent)
    try:
        os.makedirs(path, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(0, "Permission denied")
    except (OSError, ValueError) as error:
        raise Refused(f"--report {path}: cannot write there: {reason(error)}") from None
    try:
        yield
    finally:
        for folder in made:
            with contextlib.suppress(OSError):
                os.rmdir(folder)
