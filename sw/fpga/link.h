// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/fpga/byte_port.h"
#include "sw/fpga/frame.h"
#include "sw/spec/generated/fpga.h"

namespace tern::fpga {

enum class Request : std::uint8_t {
  kInfo = TERN_FPGA_REQ_INFO,
  kWrite = TERN_FPGA_REQ_WRITE,
  kRead = TERN_FPGA_REQ_READ,
  kDoorbell = TERN_FPGA_REQ_DOORBELL,
  kReset = TERN_FPGA_REQ_RESET
};

struct LinkSettings {
  unsigned timeout_ms = 10000;  // of an answer: a simulated board is slow
  unsigned whole_ms = 20000;    // of all of it, when its bytes come one by one
  unsigned attempts = 3;        // of a request
  unsigned hello_ms = 1000;     // of the answer to the first request: is there a board?
};

// Requests to a board and their answers, one at a time. A request has the same effect twice as
// once, so one that is not answered, or answered by a refusal of its frame, is sent again.
class Link {
 public:
  explicit Link(std::unique_ptr<BytePort> port, const LinkSettings& settings = {});

  // The bytes of the answer after kind and number. Throws RunError: the board does not answer, or
  // refuses the request.
  Bytes ask(Request request, const Bytes& body);

  const BytePort& port() const { return *port_; }
  std::uint64_t repeated() const { return repeated_; }
  std::uint64_t bytes_sent() const { return sent_; }
  std::uint64_t bytes_received() const { return received_; }

 private:
  // The answer to request `number`, or a refusal; empty after the timeout of a byte, or of all.
  Bytes wait_for(Request request, std::uint8_t number, unsigned timeout_ms);
  // Drops what still arrives: after noise, one refusal for each frame in it.
  void drain();

  std::unique_ptr<BytePort> port_;
  LinkSettings settings_;
  FrameReader reader_;
  std::uint8_t number_ = 0;
  std::uint64_t repeated_ = 0, sent_ = 0, received_ = 0;
};

}  // namespace tern::fpga
