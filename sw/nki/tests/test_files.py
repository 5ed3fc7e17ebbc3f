# SPDX-License-Identifier: Apache-2.0
"""tern nki run with odd arguments and files: one line each, no half-written file, figures that agree."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

import numpy as np

import nki
from one_command import KERNELS, TERN, CommandCase, tern

ARRAYS = ("--arg", "a=8x8:float32:ones", "--arg", "b=8x8:float32:ones")
ADD = ("run", f"{KERNELS}::add", *ARRAYS)
KERNEL = """import nki, nki.isa as nisa, nki.language as nl
@nki.jit
def double(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    nl.store(out, t)
    return out
@nki.jit
def moved(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
@nki.jit
def two(x):
    return moved(x), double(x)
@nki.jit
def endless(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t, r = nl.load(x), nisa.register_alloc(1)
    while r:
        nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=1.0)
    nl.store(out, t)
    return out
"""


class Files(CommandCase):
    def header(self, shape):
        text = b"{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + b", }"
        return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + text.ljust(117) + b"\n"

    def size_of(self, name):
        return os.path.getsize(self.path(name)) if os.path.exists(self.path(name)) else 0

    def test_arguments(self):
        self.refused("--seed: expected a whole number from 0 on, got '-1'", *ADD, "--seed", "-1")
        self.refused("Unable to allocate", *ADD, "--arg", "a=1000000x1000000:float32:random")
        self.refused("--arg a=128x512:float32: expected SHAPE:DTYPE:random|zeros|ones", *ADD, "--arg", "a=128x512:float32")
        self.refused("--arg a=8,8:float32:random: expected SHAPE:DTYPE", *ADD, "--arg", "a=8,8:float32:random")
        self.refused("'str' object has no attribute 'shape'", *ADD, "--arg", "a=a:b:c")  # a string, as it says
        self.refused("--dump-after: invalid choice: 'nonsense' (choose from 'author_order',", *ADD, "--dump-after", "nonsense")
        self.refused("unrecognized arguments: --bogus", *ADD, "--bogus")

    def test_arrays_in_files(self):
        files = {"zip.npy": (b"PK\x03\x04broken", "an archive (.npz)"), "cut.npy": (self.header(b"(8, 8)") + b"1234", "cut: its header"),
                 "huge.npy": (self.header(b"(4000000000, 4000000000)"), "cut: its header"),
                 "negative.npy": (self.header(b"(-8, -8)"), "--arg a="), "empty.npy": (b"", "no valid .npy file"),
                 "half.npy": (self.header(b"(8, 8)")[:60], "no valid .npy file"), "text.npy": (b"1 2 3\n", "no valid .npy file"),
                 "code.npy": (self.header(b"print(1)"), "no valid .npy file")}
        for name, (data, message) in files.items():
            with self.subTest(name):
                path = self.write(name, data)
                self.refused(message, *ADD, "--arg", f"a={path}")
        np.save(self.path("text.npy"), np.array(["a"]))
        self.refused("--arg a: unknown dtype", *ADD, "--arg", f"a={self.path('text.npy')}")
        np.savez(self.path("two.npz"), np.ones(3), np.ones(3))
        os.rename(self.path("two.npz"), self.path("two.npy"))
        self.refused("an archive (.npz)", *ADD, "--arg", f"a={self.path('two.npy')}")
        os.mkdir(self.path("folder.npy"))
        self.refused("folder.npy: this is a folder, a file was expected", *ADD, "--arg", f"a={self.path('folder.npy')}")

    def test_kernel_files(self):
        def run(name, text, message):
            self.refused(message, "run", f"{self.write(name, text)}::double", "--arg", "x=8x8:float32:ones")
        run("nul.py", b"a = 1\x00\n", "null bytes")
        run("binary.py", bytes(range(128, 256)), "binary.py")
        result = tern("run", f"{self.write('syntax.py', 'x = (1,')}::double")
        self.assertIn("tern: SyntaxError: '(' was never closed\n", result.stderr)
        self.assertRegex(result.stderr, r"  at .*syntax.py:1\n    x = \(1,\n        \^\n$")
        run("import.py", "import nosuch_module\n", "ModuleNotFoundError: No module named 'nosuch_module'\n  at ")
        self.refused(f"{self.folder.name}: this is a folder", "run", f"{self.folder.name}::f")
        self.refused("folder", "python", self.folder.name)
        self.refused("x\ufffd[31m y.py: no such file", "run", "x\x1b[31m\ny.py::f")
        self.refused("--arg \ufffd[1ma: kernel", *ADD, "--arg", "\x1b[1ma=1")
        # Without an ending, of any bytes, of the name of a module that it imports.
        for name in ("plain", os.fsdecode(b"b\xff.py"), "numpy.py", "nki.py", "json.py", "sp: 3: x/a.py"):
            with self.subTest(name):
                result = tern("run", f"{self.write(name, KERNEL)}::double", "--arg", "x=8x8:float32:ones")
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_outputs(self):
        self.refused("--output /nosuch/o.npy: cannot write: No such file or directory", *ADD, "--output", "/nosuch/o.npy")
        self.refused("this is a folder, a file was expected", *ADD, "--output", self.folder.name)
        self.refused("kernel 'add' returns 1 tensor", *ADD, "--output", self.path("1.npy"), "--output", self.path("2.npy"))
        self.refused("cannot write there: File exists", *ADD, "--report", self.write("file", ""))
        self.refused("cannot write there", *ADD, "--report", "/proc/nosuch")
        self.refused("/nosuch/t.json: cannot write", *ADD, "--trace", "/nosuch/t.json", "--report", self.path("new/deep"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["file"])
        self.refused("a name with control characters", *ADD, "--wave", self.path("w\x1b[1m.fst"))
        result = tern(*ADD, "--output", self.path("plain"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["file", "plain"])
        np.testing.assert_array_equal(np.load(self.path("plain")), np.full((8, 8), 2, np.float32))

    def test_outputs_of_types_that_numpy_lacks(self):
        kernel = self.write("k.py", KERNEL)
        values = np.arange(8, dtype=np.float32).reshape(2, 4)
        for dtype, bits in (("bfloat16", np.uint16), ("float8_e4m3", np.uint8), ("float8_e5m2", np.uint8)):
            with self.subTest(dtype):
                stored = nki.array(values, dtype)
                np.save(self.path("x.npy"), np.asarray(stored))
                out = self.path("o.npy")
                result = tern("run", f"{kernel}::double", "--arg", f"x={self.path('x.npy')}:{dtype}", "--output", out)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"  result 0: [2, 4] {dtype}; {out} has its bits as {np.dtype(bits)}\n", result.stdout)
                read = np.load(out)
                self.assertEqual(read.dtype, bits)
                np.testing.assert_array_equal(read, np.asarray(nki.array(2 * values, dtype)))
                again = tern("run", f"{kernel}::double", "--arg", f"x={out}:{dtype}", "--output", out)
                self.assertEqual(again.returncode, 0, again.stderr)
                np.testing.assert_array_equal(np.load(out), np.asarray(nki.array(4 * values, dtype)))
        for dtype, bits in (("float8_e4m3fn_x4", np.uint32), ("float4_e2m1fn_x4", np.uint16), ("float8_e8m0fnu", np.uint8)):
            with self.subTest(dtype):
                random = np.random.default_rng(1).integers(0, 100, (4, 8)).astype(bits)
                np.save(self.path("x.npy"), random)
                result = tern("run", f"{kernel}::moved", "--arg", f"x={self.path('x.npy')}:{dtype}", "--output", out)
                self.assertEqual(result.returncode, 0, result.stderr)
                np.testing.assert_array_equal(np.load(out), random)

    def test_an_argument_as_result(self):
        kernel = self.write("k.py", KERNEL + "@nki.jit\ndef same(x):\n    return x\n")
        values = np.arange(8, dtype=">f4").reshape(2, 4)
        np.save(self.path("x.npy"), values)
        result = tern("run", f"{kernel}::same", "--arg", f"x={self.path('x.npy')}", "--output", self.path("o.npy"))
        self.assertEqual(result.returncode, 0, result.stderr)
        np.testing.assert_array_equal(np.load(self.path("o.npy")), values)

    def test_arrays_of_types_that_numpy_lacks(self):
        kernel = self.write("k.py", KERNEL)
        out = self.path("o.npy")

        def bits(dtype, fill):
            result = tern("run", f"{kernel}::moved", "--arg", f"x=16x32:{dtype}:{fill}", "--output", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"  result 0: [16, 32] {dtype}", result.stdout)
            return np.load(out)
        scales = bits("float8_e8m0fnu", "random")
        self.assertTrue(((scales >= 120) & (scales <= 134)).all(), scales)
        self.assertGreater(len(np.unique(scales)), 8)
        self.assertTrue((bits("float8_e8m0fnu", "ones") == 127).all())
        for dtype, one, invalid in (("float8_e4m3fn", 0x38, (0x7f, 0xff)), ("float8_e5m2", 0x3c, range(0x7c, 0x80))):
            values = bits(f"{dtype}_x4", "random").view(np.uint8)
            self.assertFalse(np.isin(values, invalid).any())
            self.assertGreater(len(np.unique(values)), 60)
            self.assertTrue((bits(f"{dtype}_x4", "ones").view(np.uint8) == one).all())
            self.assertFalse(bits(f"{dtype}_x4", "zeros").any())
        self.assertEqual(len(np.unique(bits("float4_e2m1fn_x4", "random") & 15)), 16)
        self.assertTrue((bits("float4_e2m1fn_x4", "ones") == 0x2222).all())
        self.assertEqual(len(np.unique(bits("bool", "random"))), 2)

    def test_large_arrays(self):
        # Refused by the kernel, in less time and memory than such an array takes.
        kernel = self.write("k.py", KERNEL)
        begin = time.monotonic()
        self.refused("number of partitions 1000000 exceed", "run", f"{kernel}::double", "--arg", "x=1000000x2000:float32:zeros")
        self.assertLess(time.monotonic() - begin, 30)

    def test_names(self):
        kernel = self.write("k.py", KERNEL + "class Odd:\n    pass\ndef any_names(**x):\n    return x['a']\n")
        self.refused("k.py: no function 'Odd', there are double, moved", "run", f"{kernel}::Odd")
        self.refused("--arg y: kernel 'nothing' has no parameters", "run",
                     f"{self.write('n.py', 'def nothing(): pass')}::nothing", "--arg", "y=1")
        result = tern("run", f"{kernel}::any_names", "--arg", "a=4x4:float32:ones")
        self.assertEqual(result.returncode, 0, result.stderr)
        for option in ("--output", "--report", "--trace", "--wave"):
            self.refused(f"{option}: expected a name, got ''", *ADD, option, "")
        os.mkfifo(self.path("pipe"))
        for file in (self.path("pipe"), "/dev/zero"):
            self.refused(f"{file}: not a regular file", "run", f"{file}::f")
        self.refused("unknown encoding: nosuch\n  at ", "run", f"{self.write('e.py', '# coding: nosuch')}::f")

    def test_a_kernel_that_changes_the_folder(self):
        kernel = self.write("k.py", KERNEL.replace("    t = nl.load(x)\n", "    t = nl.load(x)\n    __import__('os').chdir('/')\n", 1))
        result = tern("run", f"{kernel}::double", "--arg", "x=4x4:float32:ones", "--output", "o.npy", "--trace", "t.json",
                      "--report", "r", cwd=self.folder.name)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLessEqual({"o.npy", "t.json", "r"}, set(os.listdir(self.folder.name)))

    def test_no_file_is_written_twice(self):
        out = self.path("o.npy")
        self.refused(f"--trace {out}: --output writes this file, too", *ADD, "--output", out, "--trace", out)
        self.refused(f"--wave {out}: --output writes this file, too", *ADD, "--output", out, "--wave", out)
        for name in ("report.html", "report.json", "lines.csv"):
            self.refused("--report writes this file, too", *ADD, "--report", self.path("r"), "--trace", self.path(f"r/{name}"))
        kernel = self.write("k.py", KERNEL)
        os.symlink(kernel, self.path("l.py"))
        for option in ("--output", "--trace", "--wave"):
            self.refused("this is the file of the kernel", "run", f"{kernel}::double", "--arg", "x=4x4:float32:ones", option,
                         self.path("l.py"))
        os.symlink(out, self.path("link.npy"))
        self.refused("--output writes this file, too", "run", f"{kernel}::two", "--arg", "x=2x4:float32:ones", "--output", out,
                     "--output", self.path("link.npy"))
        result = tern("run", f"{kernel}::two", "--arg", "x=2x4:float32:ones", "--output", "/dev/null", "--output", "/dev/null")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_outputs_on_a_full_disk(self):
        for more in ((), ("--dump-after", "allocate")):
            with open("/dev/full", "w", encoding="ascii") as full:
                self.refused("standard output: No space left on device", *ADD, *more, code=1, stdout=full)
        self.refused("/dev/full: write failed: No space left on device", *ADD, "--output", "/dev/full", code=1)

    def test_names_of_any_bytes(self):
        folder = os.fsdecode(os.fsencode(self.folder.name) + b"/r\xff")
        result = tern(*ADD, "--report", folder, "--trace", f"{folder}/t.json", "--wave", f"{folder}/w.fst", "--output",
                      f"{folder}/o.npy")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLessEqual({"report.html", "t.json", "w.fst", "o.npy"}, set(os.listdir(folder)))

    def test_figures_agree(self):
        kernel = self.write("a: 7: b/kernel.py", KERNEL)
        result = tern("run", f"{kernel}::double", "--arg", "x=128x512:float32:ones", "--report", self.path("r"), "--trace",
                      self.path("r/t.json"))
        with open(self.path("r/report.json"), encoding="utf-8") as file:
            report = json.load(file)
        count = sum(engine["instructions"] for engine in report["engines"])
        self.assertEqual(count, 3)
        self.assertIn(f" us, {count} instructions\n", result.stdout)
        self.assertEqual(sum(line["instructions"] for line in report["lines"]), count)
        places = [(line["file"], line["line"], line["engine"]) for line in report["lines"]]
        self.assertEqual(len(places), len(set(places)))
        self.assertEqual({place[0] for place in places}, {kernel})
        self.assertTrue(all(line["source"] for line in report["lines"]), report["lines"])
        with open(self.path("r/report.md"), encoding="utf-8") as file:
            page = file.read()
        for engine in report["engines"]:
            of_lines = sum(line["busy_us"] for line in report["lines"] if line["engine"] == engine["engine"])
            self.assertAlmostEqual(of_lines, engine["busy_us"], places=9)
            share = f"{100 * engine['busy_us'] / report['latency_us']:.1f} %"
            self.assertIn(f"| {engine['engine']} | {share} busy |", page)  # timeline
        with open(self.path("r/t.json"), encoding="utf-8") as file:
            self.assertIn('"kernel.py:6: nisa.tensor_scalar', file.read())

    def test_an_interrupt_leaves_the_waveform_alone(self):
        kernel = self.write("k.py", KERNEL)
        for number, group in ((signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, False), (signal.SIGHUP, True)):
            process = subprocess.Popen(
                [TERN, "nki", "run", f"{kernel}::endless", "--arg", "x=4x4:float32:ones", "--report", self.path("r/deep"),
                 "--wave", self.path("w.fst"), "--trace", self.path("t.json"), "--output", self.path("o.npy")],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
            self.addCleanup(process.kill)
            while self.size_of("t.json.partial") < 100_000:  # the kernel runs, however busy the machine is
                self.assertIsNone(process.poll())
                time.sleep(0.05)
            self.assertTrue(os.path.exists(self.path("w.fst.partial")))
            (os.killpg if group else os.kill)(process.pid, number)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assertIn("waveform up to the stop: ", errors)
            self.assertNotIn("Traceback", errors)
            left = sorted(name for name in os.listdir(self.folder.name) if name not in ("k.py", "__pycache__"))
            self.assertEqual(left, ["w.fst.partial"])

    def test_an_early_interrupt_is_quiet(self):
        kernel = self.write("k.py", KERNEL)
        for wait in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4):
            process = subprocess.Popen([TERN, "nki", "run", f"{kernel}::endless", "--arg", "x=4x4:float32:ones"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            self.assertIn(process.returncode, (-signal.SIGINT, 130))
            self.assertIn(errors, ("", "tern: interrupted\n"))

    def test_a_long_run_says_so(self):
        kernel = self.write("k.py", KERNEL)
        process = subprocess.Popen([TERN, "nki", "run", f"{kernel}::endless", "--arg", "x=4x4:float32:ones"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertTrue(re.fullmatch(r"tern: kernel 'endless' still runs: [0-9.]+ ms simulated in 5 s; Ctrl-C ends it\n", line),
                        line)


if __name__ == "__main__":
    unittest.main()
