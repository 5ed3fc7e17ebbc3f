// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "tb/common/seed.h"
#include "tb/mgmt/devices/uart_bench.h"

using namespace tern;
using namespace tern::tb;
using namespace tern::tb::uart;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

// The receiver of the data sheet once more: what software should find, without events. The time of
// the last activity decides whether a timeout is due.
struct Receiver {
  struct Character {
    unsigned byte, errors;
  };
  std::deque<Character> fifo;
  bool fifos = false;
  unsigned trigger = 1, flags = 0, ier = 0;
  bool transmit_event = false, timed_out = false;
  sc_time active, four;  // last activity; four characters

  void arrive(unsigned byte, unsigned errors, const sc_time& at) {
    const std::size_t depth = fifos ? 16 : 1;
    timed_out = timeout(at);  // a timeout that has come stays until software reads
    if (fifo.size() == depth) {
      flags |= OE;
      if (fifos) return;
      fifo.pop_back();
    }
    fifo.push_back({byte, errors});
    if (fifo.size() == 1) flags |= errors;
    active = at;
  }
  bool timeout(const sc_time& at) const {
    return timed_out || (fifos && !fifo.empty() && at >= active + four);
  }
  unsigned read(const sc_time& at) {
    active = at;
    timed_out = false;
    if (fifo.empty()) return 0;
    const unsigned byte = fifo.front().byte;
    fifo.pop_front();
    if (!fifo.empty()) flags |= fifo.front().errors;
    return byte;
  }
  unsigned lsr() {
    unsigned value = flags | THRE | TEMT | (fifo.empty() ? 0u : unsigned{DR});
    for (const Character& character : fifo) {
      if (fifos && character.errors != 0) value |= FIFO_ERROR;
    }
    flags = 0;
    if (!fifo.empty()) fifo.front().errors = 0;
    return value;
  }
  unsigned interrupt(const sc_time& at) const {
    if ((ier & 4) != 0 && flags != 0) return kLineStatus;
    if ((ier & 1) != 0 && fifo.size() >= (fifos ? trigger : 1)) return kDataAvailable;
    if ((ier & 1) != 0 && timeout(at)) return kTimeout;
    if ((ier & 2) != 0 && transmit_event) return kHoldingEmpty;
    return kNoInterrupt;
  }
  void fcr(unsigned value) {
    const bool on = (value & 1) != 0;
    if (on != fifos || (on && (value & 2) != 0)) {
      fifo.clear();
      timed_out = false;
    }
    fifos = on;
    const unsigned triggers[] = {1, 4, 8, 14};
    if (on) trigger = triggers[value >> 6 & 3];
  }
};

}  // namespace

TEST_CASE("uart: random accesses and characters against the data sheet's receiver") {
  const std::uint64_t seed = test_seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  UartBench bench(UartBench::config());
  Receiver model;
  bench.run([&] {
    bench.out(LCR, 3);
    model.four = 4 * bench.uart.character_time();
    for (unsigned step = 0; step < 20'000; ++step) {
      CAPTURE(step);
      // At times a hart is ahead; the simulation follows before others act.
      const sc_time ahead = random() % 4 == 0
                                ? sc_time::from_value(random() % (model.four.value() / 2))
                                : sc_core::SC_ZERO_TIME;
      const sc_time at = sc_time_stamp() + ahead;
      switch (random() % 8) {
        case 0:
        case 1: {
          const unsigned byte = random() & 0xFF;
          const unsigned errors = random() % 8 == 0 ? random() & (PE | FE | BI) : 0;
          bench.uart.arrive(static_cast<std::uint8_t>(byte), static_cast<std::uint8_t>(errors));
          model.arrive(byte, errors, sc_time_stamp());
          break;
        }
        case 2:
          REQUIRE(bench.in(RBR, ahead) == model.read(at));
          break;
        case 3:
          REQUIRE(bench.in(LSR, ahead) == model.lsr());
          break;
        case 4: {
          const unsigned expected = model.interrupt(at) | (model.fifos ? 0xC0 : 0);
          REQUIRE(bench.in(IIR, ahead) == expected);
          if ((expected & 15) == kHoldingEmpty) model.transmit_event = false;
          break;
        }
        case 5:
          if (random() % 8 == 0) {
            const unsigned value = random() & 0xC3;
            bench.out(FCR, value, ahead);
            model.fcr(value);
          } else {
            bench.out(THR, 'x', ahead);
            model.transmit_event = true;
          }
          break;
        case 6: {
          const unsigned value = random() & 7;
          if ((value & ~model.ier & 2) != 0) model.transmit_event = true;
          bench.out(IER, value, ahead);
          model.ier = value;
          break;
        }
        default:
          wait(sc_time::from_value(random() % (2 * model.four.value())));
      }
      if (ahead != sc_core::SC_ZERO_TIME) wait(ahead);
      wait(sc_time::from_value(1));  // events of this moment
      REQUIRE(bench.line() == (model.interrupt(sc_time_stamp()) != kNoInterrupt));
    }
  });
}

// Each character starts when it is written or when the one before has ended, and the FIFO takes 16
// besides the one on the line.
TEST_CASE("uart: random transmission with baud timing against a recurrence") {
  const std::uint64_t seed = test_seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  UartBench bench(UartBench::timed());
  bench.run([&] {
    bench.out(LCR, 3);
    bench.out(FCR, 1);
    const sc_time character = bench.uart.character_time();
    std::string expected;
    std::vector<std::uint64_t> starts, ends;
    for (unsigned step = 0; step < 5000; ++step) {
      CAPTURE(step);
      const sc_time ahead = sc_time::from_value(random() % (2 * character.value()));
      const std::uint64_t at = (sc_time_stamp() + ahead).value();
      const auto waiting = [&] {
        return std::count_if(starts.begin(), starts.end(), [&](std::uint64_t s) { return s > at; });
      };
      const bool busy = !ends.empty() && ends.back() > at;
      unsigned lsr = waiting() == 0 ? unsigned{THRE} : 0u;
      if (waiting() == 0 && !busy) lsr |= TEMT;
      REQUIRE(bench.in(LSR, ahead) == lsr);
      for (unsigned n = random() % 4; n > 0; --n) {
        const char c = static_cast<char>('a' + random() % 26);
        bench.out(THR, static_cast<unsigned char>(c), ahead);
        if (waiting() >= 16) continue;
        expected += c;
        starts.push_back(ends.empty() ? at : std::max(at, ends.back()));
        ends.push_back(starts.back() + character.value());
      }
      wait(ahead);
      if (random() % 50 == 0) wait(sc_time::from_value(random() % (20 * character.value())));
      if (starts.size() > 64) {
        starts.erase(starts.begin(), starts.end() - 32);
        ends.erase(ends.begin(), ends.end() - 32);
      }
    }
    wait(20 * character);
    CHECK(bench.buffer.output() == expected);
  });
}
