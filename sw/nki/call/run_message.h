// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::nki {

// What a process that simulates gets, and what it answers (docs/decisions/0031). Both processes are
// of one build: the bytes are checked for completeness only.
struct NamedBytes {
  std::string name;
  std::vector<std::uint8_t> bytes;
};
struct NamedView {
  std::string name;
  std::string_view bytes;  // in memory of the caller; may be large
};

struct RunRequest {
  std::string chip;                                           // preset or file
  std::vector<std::pair<std::string, std::string>> settings;  // of single keys
  std::string system;        // of several chips, a preset or a file; empty: one chip
  std::uint64_t chips = 1;   // of it, the first ones
  std::string_view program;  // a program file, in memory of the caller; may be large
  std::vector<NamedView> inputs;
  std::string trace_file;  // a Perfetto trace; empty: none
  bool wants_spans = false;
  // A report of the kernel, with the command that asked for it; a waveform. Empty: none.
  std::string report_folder, kernel, command, wave_file;
};

// An instruction or a transfer while it ran.
struct RunSpan {
  std::string lane, name, source;          // "vector", "tensor_copy", "softmax.py:12: tensor_copy"
  std::uint64_t begin_fs = 0, end_fs = 0;  // from the start of the program
};

struct RunResponse {
  enum class Status : std::uint8_t { kGood, kUserError, kRunError };
  Status status = Status::kGood;
  std::string error;
  std::uint64_t latency_fs = 0;            // from the start of the kernel to its end, both included
  std::uint64_t start_fs = 0, end_fs = 0;  // of that, before and after the program's instructions
  std::vector<NamedBytes> outputs;
  std::vector<RunSpan> spans;
};

// As bytes, in pieces: long texts as they are.
using PutBytes = std::function<void(std::string_view)>;
void send(const RunRequest& request, const PutBytes& put);
void send(const RunResponse& response, const PutBytes& put);
// RunError if they are cut. A request's program and inputs stay in `bytes`.
RunRequest request_from(std::string_view bytes);
RunResponse response_from(std::string_view bytes);

}  // namespace tern::nki
