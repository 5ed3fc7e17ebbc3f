# SPDX-License-Identifier: Apache-2.0
"""Repeats the build of benches with other RTL."""
import argparse
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Program and the Verilated libraries in it that are built anew: benches of single modules first, they are quicker.
BENCHES = {
    "tb/tensor/ctrl/test_tensor_ctrl": ["tern_rtl_tensor_ctrl_tiny", "tern_rtl_tensor_ctrl_stages5",
                                          "tern_rtl_tensor_ctrl_full"],
    "tb/tensor/psum/test_tensor_psum": ["tern_rtl_tensor_psum"],
    "tb/tensor/mx/test_tensor_mx": ["tern_rtl_tensor_mx"],
    "tb/tensor/array/test_tensor_array": ["tern_rtl_tensor_array"],
    "tb/tensor/array/test_lane_stages": ["tern_rtl_tensor_stages"],
    "tb/qos/test_qos_rtl": ["tern_rtl_qos"],
    "tb/axi/test_axi_rtl": ["tern_rtl_axi_read", "tern_rtl_axi_write", "tern_rtl_axi_lite", "tern_rtl_axi_read_checker",
                            "tern_rtl_axi_write_checker", "tern_rtl_axi_lite_checker"],
    "tb/axi/test_axi_dma": ["tern_rtl_axi_dma"],
    "tb/cdc/test_cdc_rtl": ["tern_rtl_cdc_down2", "tern_rtl_cdc_down4", "tern_rtl_cdc_up2", "tern_rtl_cdc_up4",
                            "tern_rtl_cdc_fifo", "tern_rtl_cdc_divider"],
    "tb/datalink/test_datalink_rtl": ["tern_rtl_link", "tern_rtl_link_small"],
    "tb/dma/back/test_dma_rows": ["tern_rtl_dma_near_memory", "tern_rtl_dma_fma"],
    "tb/dma/back/test_dma_back": ["tern_rtl_dma_back"],
    "tb/dma/model/test_dma_scan": ["tern_rtl_dma_scan"],
    "tb/dma/rtl/test_dma_rtl": ["tern_rtl_dma"],
    "tb/exp/test_exp_rtl": ["tern_rtl_exp"],
    "tb/mx/test_mx_rtl": ["tern_rtl_mx_quantize", "tern_rtl_mx_dequantize"],
    "tb/tensor/top/test_tensor_rtl": ["tern_rtl_tensor_tiny"],
    "tb/tensor/top/test_tensor_stages": ["tern_rtl_tensor_tiny_stages3"],
}

# Programs that load their Verilated library in a shared object, too.
PLUGINS = {
    "tb/tensor/top/test_tensor_rtl": "lib/tern/tensor_tiny.so",
    "tb/tensor/top/test_tensor_stages": "lib/tern/tensor_tiny_stages3.so",
}


def whole(least):
    """The type of an option that is a whole number."""
    def number(text):
        if not re.fullmatch("[0-9]{1,9}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, not {text!r}")
        return int(text)
    return number


def build_folder(text):
    """The type of an option that is a configured build."""
    path = pathlib.Path(text).resolve()
    if not (path / "build.ninja").is_file():
        raise argparse.ArgumentTypeError(f"{str(text)!r} is no build folder: scripts/build makes build/release")
    return path


def commands(build, target):
    """The command lines behind a target of a Ninja build, each taken apart at &&."""
    run = subprocess.run(["ninja", "-C", str(build), "-t", "commands", target], check=True, capture_output=True, text=True)
    return [part for line in run.stdout.strip().split("\n") for part in re.split(r"\s*&&\s*", line)]


class Library:
    """One Verilation: its commands, to be repeated elsewhere."""

    def __init__(self, name, lines):
        self.name = name
        line = next(c for c in lines if re.search(r"\bverilator\s+--cc", c) and re.search(rf"/{name}(\s|$)", c))
        self.verilator = shlex.split(line)
        self.prefix = self.verilator[self.verilator.index("--prefix") + 1]
        words = shlex.split(next(c for c in lines if c.rstrip().endswith(f"/{name}/{self.prefix}__work0.cpp")))
        # Of the compile command only what the generated code needs: the rest is speed.
        self.compiler = next(w for w in words if re.search(r"(clang|g)\+\+[-0-9]*$", w))
        self.flags = [w for w in words if w.startswith(("-D", "-march", "-std", "-fsanitize", "-fPIC"))]
        include = [words[i + 1] for i, w in enumerate(words) if w == "-isystem"]
        self.includes = [i for i in include if not i.endswith(f"/{name}")]

    def contains(self, file):
        return str(ROOT / "rtl" / file) in self.verilator

    def make(self, rtl, work, run, edited=False):
        """Builds the library's objects from the RTL in `rtl`; returns an error text.

        From Verilator's output as it is, or edited as in a build (cmake/VerilatedUnity.cmake).
        """
        generated = work / self.name
        command = [w.replace(str(ROOT / "rtl") + "/", str(rtl) + "/").replace(f"-I{ROOT}/rtl", f"-I{rtl}")
                   for w in self.verilator]
        command[command.index("--Mdir") + 1] = str(generated)
        command[command.index("-Wall")] = "-Wno-fatal"
        if "--unroll-count" not in command:
            command += ["--unroll-count", "8"]  # loops over lanes stay loops: a tenth of the code to compile
        result = run(command)
        if result.returncode != 0:
            return result.stderr
        if edited:
            result = run(["cmake", f"-DDIR={generated}", f"-DPREFIX={self.prefix}", f"-DROOT={ROOT}", "-P",
                          str(ROOT / "cmake" / "VerilatedUnity.cmake")])
            if result.returncode != 0:
                return result.stderr
            for unit in ("work0", "work1", "wave", "once"):  # units of their own, joined below by other names
                (generated / f"{self.prefix}__{unit}.cpp").unlink()
        # What runs once or never (set-up, waveforms) is most of the code: not optimised.
        parts = sorted(generated.glob(f"{self.prefix}*.cpp"))
        rare = [p for p in parts if re.search(r"__(Slow|Syms|Trace)", p.name)]
        for kind, sources, level in (("often", [p for p in parts if p not in rare], "-O1"), ("rare", rare, "-O0")):
            unity = work / f"{self.name}_{kind}.cpp"
            unity.write_text("".join(f'#include "{p.name}"\n' for p in sources))
            includes = [f"-I{generated}"] + [f"-isystem{i}" for i in self.includes]
            result = run([self.compiler, level, "-w", *self.flags, *includes, "-c", str(unity), "-o",
                          str(unity.with_suffix(".o"))])
            if result.returncode != 0:
                return result.stderr
        return ""

    def objects(self, work):
        return [str(work / f"{self.name}_{kind}.o") for kind in ("often", "rare")]


class Builder:
    """A bench and those of its libraries that are built anew."""

    def __init__(self, build, program, libraries):
        self.build = build
        self.program = program
        self.name = program.rsplit("/", 1)[1]
        products = [program] + ([PLUGINS[program]] if program in PLUGINS else [])
        lines = [line for product in products for line in commands(build, product)]
        self.links = [shlex.split(next(c for c in reversed(lines) if f"-o {product} " in c)) for product in products]
        self.libraries = [Library(name, lines) for name in libraries]

    def contains(self, file):
        return any(library.contains(file) for library in self.libraries)

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.build)

    def make(self, rtl, work, edited=False):
        """Builds the bench against the RTL in `rtl`; returns the program or an error text."""
        for library in self.libraries:
            problem = library.make(rtl, work, self.run, edited)
            if problem:
                return None, problem
        for link in self.links:
            made = work / pathlib.Path(link[link.index("-o") + 1]).name
            link = [o for w in link for o in self.replaced(w, work)]
            link[link.index("-o") + 1] = str(made)
            result = self.run(link)
            if result.returncode != 0:
                return None, result.stderr
        return work / self.name, ""

    def replaced(self, word, work):
        """A word of a link command, an archive of a library by the objects that were built anew."""
        return next((library.objects(work) for library in self.libraries if word.endswith(f"/lib{library.name}.a")), [word])
