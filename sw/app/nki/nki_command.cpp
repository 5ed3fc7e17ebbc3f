// SPDX-License-Identifier: Apache-2.0
#include "sw/app/nki/nki_command.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "sw/app/host/interrupt.h"
#include "sw/app/nki/kernel_observer.h"
#include "sw/base/child_process.h"
#include "sw/base/user_error.h"
#include "sw/nki/run/run_worker.h"

namespace tern::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "Usage: tern nki run FILE.py::FUNCTION [OPTIONS]\n"
    "       tern nki python [--force] SCRIPT.py [ARGUMENTS...]\n"
    "\n"
    "Kernels in Python (NKI) on a simulated chip; see docs/nki.md.\n"
    "  run      one kernel with arrays made for it: 'tern nki run --help'\n"
    "  python   any script, with the package nki on its path\n"
    "TERN_PYTHON names another Python than /usr/bin/python3.\n";

// The folder of the package: next to the program, as built or as installed.
fs::path package_folder(const fs::path& program) {
  for (const char* place : {"../lib/python", TERN_PYTHON_PLACE}) {
    const fs::path folder = program.parent_path() / place;
    if (fs::exists(folder / "nki" / "__init__.py")) return fs::weakly_canonical(folder);
  }
  throw UserError("the package nki is not next to " + program.string() +
                  ": build the target tern_nki_module");
}

[[noreturn]] void start_python(const std::vector<std::string>& arguments) {
  const std::string program = base::own_program();
  const fs::path folder = package_folder(program);
  const char* chosen = std::getenv("TERN_PYTHON");
  const std::string python = chosen != nullptr ? chosen : TERN_PYTHON;
  setenv("TERN_PROGRAM", program.c_str(), 1);
  std::vector<std::string> words = {python, (folder / "nki" / "_launch.py").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // Python shows where it is when it is interrupted before its first line; _launch.py takes it
  // back.
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
  execv(python.c_str(), pointers.data());
  throw UserError("cannot start " + python + ": " + std::strerror(errno));
}

int file_number(const std::string& text) {
  if (text.empty() || text.size() > 4 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    throw UserError("nki worker: expected two file descriptors");
  }
  return std::stoi(text);
}

}  // namespace

int nki_command(const std::vector<std::string>& arguments) {
  const std::string what = arguments.empty() ? "" : arguments.front();
  if (what == "-h" || what == "--help") {
    std::cout << kUsage;
    return 0;
  }
  if (what == "worker") {
    if (arguments.size() != 3) throw UserError("nki worker: expected two file descriptors");
    catch_interrupts();  // the files of a run that is stopped go with it
    KernelObserver observer;
    return nki::run_worker(file_number(arguments[1]), file_number(arguments[2]), &observer);
  }
  if (what != "run" && what != "python") {
    throw UserError("nki: expected run or python" +
                    (what.empty() ? std::string() : ", got '" + what + "'") +
                    " (see 'tern nki --help')");
  }
  start_python(arguments);
}

}  // namespace tern::app
