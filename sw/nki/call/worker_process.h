// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "sw/nki/call/run_message.h"

namespace tern::nki {

// Starts `program` (tern) as a process that simulates one run, and waits for its answer. `stop` is
// asked several times a second: once it is true, the process is ended and RunError thrown.
// UserError and RunError for the errors that the process reports; RunError if it ends without an
// answer.
RunResponse run_in_process(const std::string& program, const RunRequest& request,
                           const std::function<bool()>& stop);

// A message in a file in memory, from its start, as long as this exists: both processes have the
// same pages.
class Message {
 public:
  explicit Message(int file);
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(begin_), size_}; }
  // A part that is not needed soon: it takes no memory of this process until it is read again.
  void release(std::string_view part) const;

 private:
  void* begin_ = nullptr;
  std::size_t size_ = 0;
};

// Writes such a message, piece after piece.
PutBytes message_writer(int file);

}  // namespace tern::nki
