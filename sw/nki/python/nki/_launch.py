# SPDX-License-Identifier: Apache-2.0
"""What `tern nki` starts: python3 _launch.py run|python ARGUMENTS...

python [--force] SCRIPT.py ARGUMENTS... | -m MODULE ARGUMENTS... | -c CODE | -: with nki and neuronxcc on the path.
Other packages of these names, such as those of a Neuron SDK, are not hidden unless forced.
"""
import signal

# Ctrl-C while Python and numpy are loaded ends the process without a word.
interrupt = signal.getsignal(signal.SIGINT)
if interrupt is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # which `tern nki` has blocked

import importlib.util  # noqa: E402
import os  # noqa: E402
import runpy  # noqa: E402
import sys  # noqa: E402

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
USAGE = 2
HELP = """Usage: tern nki python [--force] SCRIPT.py [ARGUMENTS...]
       tern nki python [--force] -m MODULE [ARGUMENTS...]
       tern nki python [--force] -c CODE [ARGUMENTS...]
       tern nki python [--force] - [ARGUMENTS...] < SCRIPT.py

Runs Python with the packages nki and neuronxcc of Tern on its path; see docs/nki.md.
  --force   hide other packages of these names, such as those of a Neuron SDK
"""


def load(name):
    """A module of the package, also where the package itself cannot be imported."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"_{name}.py")
    spec = importlib.util.spec_from_file_location(f"_nki_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


messages, packages = load("messages"), load("packages")


def complain(message):
    print(f"tern: {messages.printable(message)}", file=sys.stderr)
    sys.exit(USAGE)


def use_package(force):
    # Python has put this file's folder first.
    sys.path[:] = [p for p in sys.path if os.path.realpath(p) != os.path.dirname(os.path.realpath(__file__))]
    for name in packages.NAMES:
        other = packages.other_package(name)
        if other is not None and not force:
            complain(f"another package {name} is installed in {other}: 'tern nki python --force' takes Tern's in its place")
    if force:
        os.environ[packages.FORCE] = "1"
    sys.path.insert(0, FOLDER)
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = FOLDER + (os.pathsep + path if path else "")


def run_python(arguments):
    force = bool(arguments) and arguments[0] == "--force"
    arguments = arguments[1:] if force else arguments
    if not arguments:
        complain("nki python: expected a script")
    if arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return
    use_package(force)
    sys.excepthook = messages.show
    if arguments[0] == "-c":
        if len(arguments) < 2:
            complain("nki python -c: expected code")
        sys.argv = ["-c"] + arguments[2:]
        sys.path.insert(0, "")
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102: as python -c
        return
    if arguments[0] == "-m":
        if len(arguments) < 2:
            complain("nki python -m: expected a module")
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    if arguments[0] == "-":
        sys.argv = arguments
        sys.path.insert(0, "")
        exec(compile(sys.stdin.buffer.read(), "<stdin>", "exec"), {"__name__": "__main__"})  # noqa: S102: as python -
        return
    if arguments[0].startswith("-") and not os.path.exists(arguments[0]):
        complain(f"nki python: unknown option {arguments[0]} (see 'tern nki python --help')")
    if os.path.isdir(arguments[0]):
        complain(f"{arguments[0]}: this is a folder, a file was expected")
    if not os.path.exists(arguments[0]):
        complain(f"{arguments[0]}: no such file")
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
    runpy.run_path(arguments[0], run_name="__main__")


def main():
    if sys.argv[1] == "python":
        signal.signal(signal.SIGINT, interrupt)
        run_python(sys.argv[2:])
        return 0
    use_package(force=True)
    sys.excepthook = messages.show
    from nki import _command  # found now
    signal.signal(signal.SIGINT, interrupt)
    return _command.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
