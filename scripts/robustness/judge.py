# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the end of a command, by what docs/workloads.md and docs/style.md promise. No guesses: every rule is a promise."""
import re
import signal

MAX_MESSAGE = 1100  # bytes of a refusal: long values in it are shortened, to 1,000
MAX_REFUSING_BYTES = 3 << 29  # 1.5 GiB
MAX_REFUSING_CPU = 20  # seconds of processor time: wall time depends on the machine's load
TAB, LINE_FEED = 9, 10
# Words of libraries and of the implementation, which mean nothing to a user.
INTERNAL = re.compile(rb"std::|bad_alloc|json\.exception|basic_\w+::|_M_\w+|what\(\)|terminate called|Assertion|Sanitizer|core dumped"
                      rb"|\(E\d{3}\)|\bE5\d\d\b|yaml-cpp|\bsto(?:i|l|ul|ull|d)\b|unknown reason|vector::|map::at|bad (?:cast|optional|variant)")
SAFE_C1 = re.compile(rb"\xc2[\x80-\x9f]")
# What locates a refusal, besides the case's own files: a key, a parameter, an option, a line of a YAML file, a chip.
PLACE = re.compile(rb"\b(?:key|keys|parameter|kind) '|(?:^|\W)--[a-z]|\.yaml:\d|\bcommand line\b|\bchip '"
                   rb"|\b(?:core|dma|hbm|noc|host)\.[a-z_]")
WARNING = re.compile(rb"^(?:tern: )?warning: ")


def control_characters(text):
    """Raw ones, which a terminal would obey."""
    return sorted({byte for byte in text if (byte < 32 and byte not in (TAB, LINE_FEED)) or byte == 127}) or bool(SAFE_C1.search(text))


def message_lines(err):
    return [line for line in err.split(b"\n") if line and not WARNING.match(line)]


def refusal(case, result):
    """Exit code 2: one line that says where."""
    lines = message_lines(result.err)
    if "2>" in case.redirect:
        return  # nobody can read it
    if len(lines) != 1:
        yield f"a refusal of {len(lines)} lines"
    elif len(lines[0]) > MAX_MESSAGE:
        yield f"a refusal of {len(lines[0])} bytes"
    named = any(place.encode("utf-8", "surrogateescape") in result.err for place in case.located())
    if lines and not named and not PLACE.search(result.err):
        yield "a refusal without file, key or option"
    if result.memory > MAX_REFUSING_BYTES:
        yield f"{result.memory >> 20} MiB of memory for a refusal"
    if result.cpu_seconds > MAX_REFUSING_CPU:
        yield f"{result.cpu_seconds:.0f} s of processor time for a refusal"
    if result.new:
        yield f"left behind by a refusal: {result.new[0]}"


def violations(case, result):
    """Texts, none if all is as promised."""
    found = []
    if result.hung:
        found.append("did not end when it was interrupted")
    elif case.bounded and result.stopped:
        found.append(f"small input, stopped for its {result.stopped}")
    elif result.code < 0:
        if result.stopped != "memory":
            found.append(f"killed by {signal.Signals(-result.code).name}")
    elif result.code not in (0, 1, 2):
        found.append(f"exit code {result.code}")
    elif result.code not in case.codes and not result.stopped:
        found.append(f"exit code {result.code}, expected {' or '.join(map(str, case.codes))}")
    if control_characters(result.out) or control_characters(result.err):
        found.append("raw control characters")
    if INTERNAL.search(result.err):
        found.append(f"internal wording '{INTERNAL.search(result.err)[0].decode('ascii', 'replace')}'")
    if result.code == 2:
        found += refusal(case, result)
    if result.code == 1 and not result.out.strip() and not result.err.strip() and not case.redirect:
        found.append("exit code 1 without a word")
    if result.stopped != "memory" and not result.hung:  # those were killed, and a killed run may leave one
        # A waveform up to an interruption stays on purpose, and its name is printed.
        left = [name for name in result.new if ".partial" in name and name.encode("utf-8", "surrogateescape") not in result.err]
        found += [f"partial file left: {name}" for name in left][:1]
    found += [f"input changed: {name}" for name in result.changed][:1]
    return found
