#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the package, moves it, and builds and runs sw/examples/embed against it, all in a temporary folder.

Usage: check_package.py BUILD_FOLDER SOURCE_FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(*command, cwd=None, code=0):
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode != code:
        sys.exit(f"{' '.join(command)}\nexit code {result.returncode}, expected {code}\n"
                 f"{result.stdout}\n{result.stderr}")
    return result.stdout + result.stderr


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
    print(f"ok: {what}")


def compiled_from(folder):
    """The files that the compiler read, as its dependency files list them."""
    files = set()
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".d"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read().replace("\\\n", " ")
                names_read = re.findall(r"(?:\\ |\S)+", text.split(":", 1)[1])
                files.update(os.path.realpath(os.path.join(folder, f.replace("\\ ", " ")))
                             for f in names_read)
    return files


def main():
    build, source = map(os.path.realpath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        first, prefix = os.path.join(folder, "first"), os.path.join(folder, "moved here")
        run("cmake", "--install", build, "--prefix", first)
        os.rename(first, prefix)
        check(not [os.path.join(p, n) for p, _, names in os.walk(prefix) for n in names
                   if n.endswith((".cmake", ".h")) and
                   source in open(os.path.join(p, n), encoding="utf-8").read()],
              "no installed file names the source tree")

        project = os.path.join(folder, "project")
        shutil.copytree(os.path.join(prefix, "share/tern/examples/embed"), project)
        out = os.path.join(project, "build")
        run("cmake", "-S", project, "-B", out, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", out, "-j", "2")
        read = compiled_from(out)
        own = [f for f in read if f.startswith(os.path.realpath(prefix))]
        check(len(own) > 20, f"{len(own)} headers of the package were used")
        check(not [f for f in read if f.startswith(source + os.sep)], "and none of the source tree")

        text = run(os.path.join(out, "embed"), cwd=folder)
        print(text, end="")
        first_elements = re.findall(r"first element (\S+)", text)
        check(len(first_elements) == 3 and first_elements[0] == first_elements[2], "the product is right")
        macs = [int(m) for m in re.findall(r"(\d+) MACs", text)]
        check(macs[0] == 256 * 512 * 384 and macs[1] >= 2 * 2 * 512 * 512 * 64, "counters count")

        model = run(os.path.join(out, "own_kernel"), cwd=folder)
        rtl = run(os.path.join(out, "own_kernel"), "rtl", cwd=folder)
        print(model + rtl, end="")
        check("model" in model and "rtl" in rtl and model.replace("model", "rtl") == rtl,
              "a kernel of one's own: model and RTL agree in bits and time")
        check("command line: key 'tensor'" in run(os.path.join(out, "own_kernel"), "fast", cwd=folder, code=2),
              "a wrong back end is one clear line")

        tern = os.path.join(prefix, "bin/tern")
        check("trn3" in run(tern, "config", "show", "trn3", cwd=folder), "the program knows its presets")
        preset = os.path.join(prefix, "share/tern/presets/trn2.yaml")
        run(tern, "config", "validate", preset, cwd=folder)
        with open(os.path.join(folder, "w.yaml"), "w", encoding="utf-8") as file:
            file.write("kind: matmul\na: {random: [32, 16]}\nb: {random: [32, 16]}\n")
        check("PASSED" in run(tern, "run", "w.yaml", "--chip", preset, cwd=folder), "and runs a workload")

        kernels = os.path.join(source, "sw/nki/tests")
        run(tern, "nki", "python", os.path.join(kernels, "test_pip.py"), cwd=folder)
        check(True, "pip installs kernels in Python from there")
        run(tern, "nki", "run", os.path.join(kernels, "kernels_basic.py") + "::add", "--arg", "a=8x8:float32:ones", "--arg",
            "b=8x8:float32:ones", "--output", "sum.npy", cwd=folder)
        check(os.path.getsize(os.path.join(folder, "sum.npy")) == 128 + 8 * 8 * 4, "and tern nki runs one")

        rtl = ["run", "w.yaml", "--chip", preset, "--tensor", "rtl"]
        check("PASSED" in run(tern, *rtl, cwd=folder), "also on the RTL, whose shared objects moved with it")
        check("PASSED" in run(tern, *rtl, "--wave", "w.fst", cwd=folder), "with a waveform")

        runtime = os.path.join(folder, "nrt")
        shutil.copytree(os.path.join(prefix, "share/tern/examples/nrt"), runtime)
        run("cmake", "-S", runtime, "-B", os.path.join(runtime, "build"), f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", os.path.join(runtime, "build"))
        run(tern, "compile", "w.yaml", "-o", "w.tern", "--data", "tensors", cwd=folder)
        print(run(os.path.join(runtime, "build/nrt_run"), "w.tern", "tensors", cwd=folder), end="")
        check(os.path.getsize(os.path.join(folder, "tensors/c.bin")) == 16 * 16 * 4,
              "a C program runs it under the C runtime")

        empty = subprocess.run(["cmake", "-S", project, "-B", os.path.join(folder, "none"),
                                "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"], capture_output=True, text=True, check=False)
        check(empty.returncode != 0 and "tern" in empty.stderr, "without the package CMake says what is missing")


if __name__ == "__main__":
    main()
