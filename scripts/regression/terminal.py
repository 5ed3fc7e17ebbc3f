# SPDX-License-Identifier: Apache-2.0
"""Lines on the terminal, and commands that run under one line of progress. Nothing untrusted is printed as it is."""
import collections
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time

from results import clean

PLAIN = not sys.stderr.isatty() or bool(os.environ.get("CI")) or os.environ.get("TERM", "dumb") == "dumb"
GRACE_SECONDS = 20  # that a command has to end after an interruption


def say(text):
    print(("" if PLAIN else "\r\033[K") + clean(text, 400), file=sys.stderr, flush=True)


def duration(seconds):
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:.0f} min"


class Progress:
    """One line that is redrawn at a terminal; elsewhere a line every ten seconds, after two minutes every thirty."""

    def __init__(self, label):
        self.label, self.begin, self.last, self.text = label, time.monotonic(), time.monotonic(), ""

    def draw(self):
        now = time.monotonic()
        line = clean(f"{self.label}: {duration(now - self.begin)}  {self.text}", 100)
        if not PLAIN:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        elif now - self.last >= (10 if now - self.begin < 120 else 30):
            print(f".. {line}", file=sys.stderr, flush=True)
            self.last = now

    def line(self, text):
        if text.startswith("FAILED "):
            say(text)
        if text.strip():
            self.text = re.sub(r"^\.\. ", "", text.strip())


def interruptible():
    """Being told to end (by a terminal, a batch system, a closed connection) is an interruption."""
    def interrupt(number, _):
        raise KeyboardInterrupt(signal.Signals(number).name)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


def end(process):
    """Ends a command and what it started."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE_SECONDS if number != signal.SIGKILL else None)
            break
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            continue  # the next one, harder; a second interruption does not wait
        except ProcessLookupError:
            process.wait()
            break
    try:
        os.killpg(process.pid, signal.SIGKILL)  # what outlived its parent
    except ProcessLookupError:
        pass


def run(label, command, log, cwd, environment, held=()):
    """Runs a command with its output in the file `log`; returns its exit code. An interruption ends the command, too.

    `held`: open files that it and all it starts hold, too.
    """
    progress, lines = Progress(label), queue.Queue()
    with open(log, "a", encoding="utf-8", errors="replace") as out:
        out.write(f"$ {' '.join(map(str, command))}\n")
        out.flush()
        try:
            process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, text=True, errors="replace", cwd=cwd,
                                       env={**os.environ, **environment}, start_new_session=True, pass_fds=held)
        except OSError as error:
            out.write(f"{error}\n")
            return 127

        def read():
            for text in process.stdout:
                lines.put(text)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        try:
            while True:
                try:
                    text = lines.get(timeout=0.5)
                except queue.Empty:
                    out.flush()
                    progress.draw()
                    if process.poll() is not None and lines.empty():
                        break  # something that it left running holds its output open
                    continue
                if text is None:
                    break
                out.write(text)
                progress.line(text)
            return process.wait()
        finally:
            if process.poll() is None:
                end(process)
            if not PLAIN:
                print("\r\033[K", end="", file=sys.stderr, flush=True)


def tail(log, count=40):
    try:
        with open(log, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n") for line in collections.deque(file, count)]
    except OSError:
        return []
