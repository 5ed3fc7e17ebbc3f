// SPDX-License-Identifier: Apache-2.0
#include "sw/fpga/link.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "sw/base/stop.h"
#include "sw/base/user_error.h"

namespace tern::fpga {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint8_t kAnswer = TERN_FPGA_ANSWER, kNak = TERN_FPGA_NAK;
constexpr std::uint8_t kNakFrame = TERN_FPGA_NAK_FRAME;
// As many as the longest answer may need; noise without end is no answer, however slow it is.
constexpr unsigned kMaxReads = 8192;
constexpr std::chrono::milliseconds kMaxDrain{1000};
// Nothing is in transit after this time: the USB chip waits up to 16 ms for more bytes.
constexpr unsigned kQuietMs = 20;

const char* text_of(std::uint8_t code) {
  switch (code) {
    case TERN_FPGA_NAK_REQUEST:
      return "unknown request";
    case TERN_FPGA_NAK_RANGE:
      return "length or address out of range";
    default:
      return "unknown reason";
  }
}

}  // namespace

Link::Link(std::unique_ptr<BytePort> port, const LinkSettings& settings)
    : port_(std::move(port)), settings_(settings) {}

Bytes Link::wait_for(Request request, std::uint8_t number, unsigned timeout_ms) {
  std::uint8_t bytes[512];
  const unsigned whole_ms = request == Request::kInfo
                                ? std::min(settings_.whole_ms, 2 * settings_.hello_ms)
                                : settings_.whole_ms;
  const auto end = Clock::now() + std::chrono::milliseconds(whole_ms);
  for (unsigned reads = 0; reads < kMaxReads && Clock::now() < end; ++reads) {
    const std::size_t count = port_->read(bytes, sizeof bytes, timeout_ms);
    base::end_if_requested();
    if (count == 0) return {};
    received_ += count;
    Bytes found;
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<Bytes> frame = reader_.take(bytes[i]);
      if (!frame || frame->size() < 2) continue;
      const std::uint8_t kind = frame->front();
      const bool nak = kind == kNak && frame->size() == 3;
      // The number of a frame that came corrupted is not known.
      const bool of_frame = nak && (*frame)[2] == kNakFrame;
      const bool answers =
          (nak || kind == (kAnswer | static_cast<std::uint8_t>(request))) && (*frame)[1] == number;
      if (answers || of_frame) found = *frame;
    }
    if (!found.empty()) return found;
  }
  return {};
}

void Link::drain() {
  std::uint8_t bytes[512];
  const auto end = Clock::now() + kMaxDrain;
  for (unsigned reads = 0; reads < kMaxReads && Clock::now() < end; ++reads) {
    const std::size_t count = port_->read(bytes, sizeof bytes, kQuietMs);
    if (count == 0) return;
    received_ += count;
    for (std::size_t i = 0; i < count; ++i) reader_.take(bytes[i]);
  }
}

Bytes Link::ask(Request request, const Bytes& body) {
  ++number_;
  Bytes content = {static_cast<std::uint8_t>(request), number_};
  content.insert(content.end(), body.begin(), body.end());
  const Bytes frame = frame_of(content);
  const unsigned timeout_ms = request == Request::kInfo
                                  ? std::min(settings_.hello_ms, settings_.timeout_ms)
                                  : settings_.timeout_ms;
  bool refused = false;
  for (unsigned attempt = 0; attempt < settings_.attempts; ++attempt) {
    if (attempt > 0) {
      ++repeated_;
      drain();
    }
    port_->write(frame.data(), frame.size());
    sent_ += frame.size();
    const Bytes answer = wait_for(request, number_, timeout_ms);
    refused = !answer.empty() && answer[0] == kNak;
    if (answer.empty()) continue;
    if (!refused) return Bytes(answer.begin() + 2, answer.end());
    if (answer[2] != kNakFrame) {
      throw RunError("FPGA at " + port_->name() + ": request " +
                     std::to_string(static_cast<unsigned>(request)) +
                     " refused: " + text_of(answer[2]));
    }
  }
  const std::string times = std::to_string(settings_.attempts);
  if (refused) {
    throw RunError("FPGA at " + port_->name() + ": a request arrived corrupted " + times +
                   " times: wrong baud rate, or a bad cable?");
  }
  throw RunError("FPGA at " + port_->name() + ": no answer to " + times + " requests of " +
                 std::to_string(timeout_ms) +
                 " ms each: is the bitstream loaded, and is this the UART of the board?");
}

}  // namespace tern::fpga
