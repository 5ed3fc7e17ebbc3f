# SPDX-License-Identifier: Apache-2.0
"""A sweep as its file describes it: the combinations of its values, each a command line of tern."""
import dataclasses
import hashlib
import itertools
import json
import pathlib

from results import clean

MAX_FILE_BYTES, MAX_POINTS = 1_000_000, 100_000
# Keys whose values are combined, the last one changes fastest: the option, the values unless given.
VARIED = {"systems": ("system", None), "patterns": ("--pattern", "all-to-all"), "classes": ("--class", "3"), "streams": ("--streams", "1"),
          "bytes": ("--bytes", "64K"), "levels": ("--level", "packet"), "seeds": ("--seed", "0")}
# Keys that hold for all of them.
FIXED = {"also": "--also", "faults": "--faults"}


@dataclasses.dataclass(frozen=True)
class Point:
    values: dict   # by key of VARIED
    words: tuple   # of the command line, without the program
    key: str       # differs if anything that decides the result does


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parse(path):
    """The texts of a file of lists: {key: [(line, text)]}."""
    try:
        import yaml
    except ImportError:
        raise ValueError("there is no package python3-yaml here: scripts/setup installs it") from None
    with open(path, "rb") as file:
        text = file.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise ValueError(f"{path}: larger than {MAX_FILE_BYTES} bytes")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ValueError(f"{path}:{mark.line + 1 if mark else 1}: {getattr(error, 'problem', None) or 'not YAML'}") from None
    except RecursionError:
        raise ValueError(f"{path}: nested too deeply") from None
    if not isinstance(root, yaml.MappingNode):
        raise ValueError(f"{path}:1: expected keys, as systems and patterns")
    found = {}
    for key, value in root.value:
        line = key.start_mark.line + 1
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name not in (*VARIED, *FIXED):
            raise ValueError(f"{path}:{line}: unknown key '{clean(name, 40)}': expected {', '.join((*VARIED, *FIXED))}")
        if name in found:
            raise ValueError(f"{path}:{line}: key '{name}' is there twice")
        items = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if not items or not all(isinstance(item, yaml.ScalarNode) and item.value for item in items):
            raise ValueError(f"{path}:{line}: key '{name}': expected a value or a list of values")
        found[name] = [(item.start_mark.line + 1, item.value) for item in items]
    return found


def near(folder, text):
    """A file that the sweep names, from its own folder; presets have names without dot and slash."""
    return str(folder / text) if "/" in text or "." in text else text


def load(path, tern_digest):
    path = pathlib.Path(path)
    found = parse(path)
    if "systems" not in found:
        raise ValueError(f"{path}:1: no key 'systems'")
    folder = path.resolve().parent
    files = {}

    def read(line, key, text):
        name = near(folder, text)
        if name != text or key == "faults":
            name = str(folder / text)
            try:
                files[name] = digest_of(name)
            except OSError as error:
                raise ValueError(f"{path}:{line}: {key}: cannot read '{clean(name, 200)}': {error.strerror}") from None
        return name

    lists = []
    for key, (_, default) in VARIED.items():
        values = found.get(key, [(1, default)])
        if key == "systems":
            values = [(line, read(line, key, text)) for line, text in values]
        texts = [text for _, text in values]
        for n, (line, text) in enumerate(values):
            if text in texts[:n]:
                raise ValueError(f"{path}:{line}: {key}: '{clean(text, 60)}' is there twice")
        lists.append(texts)
    fixed = []
    for key, option in FIXED.items():
        for line, text in found.get(key, []):
            # One word: a value may begin like an option.
            fixed.append(f"{option}={read(line, key, text) if key == 'faults' else text}")
    count = 1
    for texts in lists:
        count *= len(texts)
    if count > MAX_POINTS:
        raise ValueError(f"{path}: {count} combinations: at most {MAX_POINTS}")
    points = []
    for texts in itertools.product(*lists):
        values = dict(zip(VARIED, texts))
        words = ("traffic", values["systems"], *(f"{VARIED[key][0]}={text}" for key, text in values.items() if key != "systems"), *fixed,
                 "--json", "--quiet")
        used = [files.get(name) for name in (values["systems"], *(text.split("=", 1)[1] for text in fixed)) if name in files]
        key = hashlib.sha256(json.dumps([words, used, tern_digest]).encode()).hexdigest()
        points.append(Point(values, words, key))
    return points
