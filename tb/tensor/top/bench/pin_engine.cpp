// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/bench/pin_engine.h"

#include <algorithm>

#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/port_bits.h"
#include "systemc/cosim/tensor_sbuf_requests.h"
#include "tb/common/rtl_reset.h"

namespace tern::tb {

using cosim::for_each_set_bit;
using cosim::get_bits;

namespace {

constexpr unsigned kCols = 16;  // of the tiny engine

}  // namespace

PinEngine::PinEngine(const TestSbuf& sbuf, unsigned sbuf_bytes, const WaveOptions& wave)
    : sbuf_(sbuf), sbuf_bytes_(sbuf_bytes), block_(wave, "tensor_top") {
  pins_.rst_ni = 1;
  pins_.sbuf_bytes_i = sbuf_bytes;
  pins_.cmd_valid_i = pins_.access_valid_i = 0;  // ports may begin with any value
  reset(0);
}

void PinEngine::settle() {
  pins_.clk_i = 0;
  pins_.eval();
}

void PinEngine::edge() {
  request();
  block_.clock.edge();
  for (const Answer& answer : answers_) {
    for (unsigned i = 0; i < answer.bytes; ++i) {
      const bool inside = answer.address + i < sbuf_bytes_;
      answer.port[i] =
          inside ? static_cast<std::uint8_t>(sbuf_.read(answer.row, answer.address + i, 1)) : 0;
    }
  }
  settle();
}

void PinEngine::reset(unsigned ramp_cycles) {
  pins_.ramp_cycles_i = ramp_cycles;
  reset_between_edges(pins_);
}

template <typename Port>
void PinEngine::answer(Port& port, unsigned index, unsigned bytes, unsigned row,
                       std::uint64_t address) {
  answers_.push_back({cosim::port_bytes(port) + std::size_t{index} * bytes, bytes, row,
                      static_cast<std::uint32_t>(address)});
}

// SBUF answers the requests of this cycle in the next one.
void PinEngine::request() {
  answers_.clear();
  cosim::for_each_sbuf_request(
      pins_, [this](auto& port, unsigned index, unsigned bytes, unsigned row,
                    std::uint32_t address) { answer(port, index, bytes, row, address); });
}

namespace {

class Comparison {
 public:
  Comparison(const std::string& input, MismatchLog* log) : input_(input), log_(*log) {}

  void word(const char* port, unsigned index, std::uint64_t expected, std::uint64_t actual,
            unsigned bits) {
    log_.compare(expected, actual, bits, [&] {
      return Where{std::string("port ") + port + "[" + std::to_string(index) + "]", input_};
    });
  }
  // All bits of a port.
  template <typename Port>
  void all(const char* name, const Port& expected, const Port& actual) {
    bits(name, expected, actual, 0, 8 * sizeof(Port));
  }
  template <typename Port>
  void bits(const char* name, const Port& expected, const Port& actual, unsigned lsb,
            std::size_t width) {
    for (unsigned i = 0; width > 0; ++i) {
      const auto part = static_cast<unsigned>(std::min<std::size_t>(width, 32));
      word(name, lsb / 32 + i, get_bits(expected, lsb + 32 * i, part),
           get_bits(actual, lsb + 32 * i, part), part);
      width -= part;
    }
  }
  // A request of the expected engine and what goes with it: `width` bits of each requester.
  template <typename Request, typename Port>
  void payload(const char* name, const Request& request, unsigned requesters, const Port& expected,
               const Port& actual, unsigned width) {
    for_each_set_bit(request, [&](unsigned i) {
      const unsigned at = i / requesters * width;
      word(name, i, get_bits(expected, at, width), get_bits(actual, at, width), width);
    });
  }

 private:
  const std::string& input_;
  MismatchLog& log_;
};

}  // namespace

unsigned compare_pins(const PinEngine& expected, const PinEngine& actual, const std::string& input,
                      MismatchLog* log) {
  Comparison compare(input, log);
  const auto& e = expected.pins();
  const auto& a = actual.pins();
  compare.all("cmd_ready_o", e.cmd_ready_o, a.cmd_ready_o);
  compare.all("perf_o", e.perf_o, a.perf_o);
  compare.all("status_valid_o", e.status_valid_o, a.status_valid_o);
  if (e.status_valid_o != 0) compare.all("status_o", e.status_o, a.status_o);

  compare.all("load_req_o", e.load_req_o, a.load_req_o);
  compare.payload("load_addr_o", e.load_req_o, 1, e.load_addr_o, a.load_addr_o, 16);
  compare.all("load_plane_req_o", e.load_plane_req_o, a.load_plane_req_o);
  compare.payload("load_plane_addr_o", e.load_plane_req_o, 1, e.load_plane_addr_o,
                  a.load_plane_addr_o, 16);
  compare.all("tag_req_o", e.tag_req_o, a.tag_req_o);
  compare.payload("tag_addr_o", e.tag_req_o, 1, e.tag_addr_o, a.tag_addr_o, 17);
  compare.all("move_req_o", e.move_req_o, a.move_req_o);
  compare.payload("move_addr_o", e.move_req_o, 4, e.move_addr_o, a.move_addr_o, 17);
  compare.all("plane_req_o", e.plane_req_o, a.plane_req_o);
  for_each_set_bit(e.plane_req_o, [&](unsigned i) {
    const unsigned at = 17 * (3 * (i / 12) + i % 3);
    compare.word("plane_addr_o", i, get_bits(e.plane_addr_o, at, 17),
                 get_bits(a.plane_addr_o, at, 17), 17);
  });
  compare.all("scale_load_req_o", e.scale_load_req_o, a.scale_load_req_o);
  compare.payload("scale_load_addr_o", e.scale_load_req_o, 1, e.scale_load_addr_o,
                  a.scale_load_addr_o, 16);
  compare.payload("scale_load_offset_o", e.scale_load_req_o, 1, e.scale_load_offset_o,
                  a.scale_load_offset_o, 2);
  compare.all("scale_move_req_o", e.scale_move_req_o, a.scale_move_req_o);
  compare.payload("scale_move_addr_o", e.scale_move_req_o, 1, e.scale_move_addr_o,
                  a.scale_move_addr_o, 18);
  compare.payload("scale_move_offset_o", e.scale_move_req_o, 1, e.scale_move_offset_o,
                  a.scale_move_offset_o, 2);

  if (e.access_valid_i != 0) compare.all("access_ready_o", e.access_ready_o, a.access_ready_o);
  compare.all("access_rvalid_o", e.access_rvalid_o, a.access_rvalid_o);
  if (e.access_rvalid_o != 0) compare.all("access_rdata_o", e.access_rdata_o, a.access_rdata_o);

  compare.all("retire_valid_o", e.retire_valid_o, a.retire_valid_o);
  unsigned writes = 0;
  for_each_set_bit(e.retire_valid_o, [&](unsigned i) {
    using tensor_ports::Retire;
    ++writes;
    compare.bits("retire_o", e.retire_o, a.retire_o, i * Retire::kBits, Retire::kBits);
    const Retire retire = Retire::unpack(e.retire_o, std::size_t{i} * Retire::kBits);
    const unsigned bits = retire.half ? 16 : 32;
    for (unsigned m = retire.first; m < retire.first + retire.lanes; ++m) {
      const unsigned lane = i / 4 * kCols + m;
      compare.word("retire_data_o", lane, get_bits(e.retire_data_o, 32 * lane, bits),
                   get_bits(a.retire_data_o, 32 * lane, bits), bits);
    }
  });
  return writes;
}

}  // namespace tern::tb
