// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/backend/scripted_input.h"
#include "tb/mgmt/devices/uart_bench.h"

using namespace tern;
using namespace tern::tb;
using namespace tern::tb::uart;
using sc_core::SC_MS;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_US;

TEST_CASE("uart: registers after reset, and which bits they keep") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    CHECK(bench.in(IER) == 0);
    CHECK(bench.in(IIR) == 1);
    CHECK(bench.in(LCR) == 0);
    CHECK(bench.in(MCR) == 0);
    CHECK(bench.in(LSR) == (THRE | TEMT));
    CHECK((bench.in(MSR)&15) == 0);
    for (const unsigned value : {0xFFU, 0x00U, 0x5AU}) {
      bench.out(SCR, value);
      CHECK(bench.in(SCR) == value);
      bench.out(LCR, value & 0x7F);
      CHECK(bench.in(LCR) == (value & 0x7F));
      bench.out(IER, value);
      CHECK(bench.in(IER) == (value & 0x0F));
      bench.out(MCR, value);
      CHECK(bench.in(MCR) == (value & 0x1F));
      bench.out(LSR, value);
      bench.out(MSR, value);
    }
    bench.out(MCR, 0);
    CHECK(bench.in(LSR) == (THRE | TEMT));
  });
}

TEST_CASE("uart: the divisor takes the place of two registers") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(IER, 5);
    bench.out(LCR, 0x83);
    bench.out(DLL, 0x34);
    bench.out(DLM, 0x12);
    CHECK(bench.in(DLL) == 0x34);
    CHECK(bench.in(DLM) == 0x12);
    CHECK(bench.buffer.output().empty());
    bench.arrive("x");
    CHECK(bench.in(DLL) == 0x34);
    bench.out(LCR, 0x03);
    CHECK(bench.in(IER) == 5);
    CHECK(bench.in(RBR) == 'x');
    // 10 bits of 16 * 0x1234 periods of 3.6864 MHz, in fs
    CHECK(bench.uart.character_time().value() == 202'256'944'444'444);
  });
}

TEST_CASE("uart: the time of a character follows its format") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(LCR, 0x80);
    bench.out(DLL, 2);  // 115,200 baud: a bit takes 8.680555... us
    bench.out(DLM, 0);
    const double bit = 1e6 / 115200;
    const auto microseconds = [&](unsigned lcr) {
      bench.out(LCR, lcr);
      return bench.uart.character_time().to_seconds() * 1e6;
    };
    CHECK(microseconds(0x03) == Approx(10 * bit));   // 8N1
    CHECK(microseconds(0x00) == Approx(7 * bit));    // 5N1
    CHECK(microseconds(0x04) == Approx(7.5 * bit));  // 5N1.5
    CHECK(microseconds(0x1A) == Approx(10 * bit));   // 7E1
    CHECK(microseconds(0x0F) == Approx(12 * bit));   // 8O2
    bench.out(LCR, 0x80);
    bench.out(DLL, 0);
    CHECK(microseconds(0x03) == Approx(10 * bit * 32768));  // as 65,536
  });
}

TEST_CASE("uart: characters leave at once, and the transmit interrupt asks for more") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    CHECK_FALSE(bench.line());
    bench.out(IER, 2);
    CHECK(bench.line());
    CHECK(bench.iir() == kHoldingEmpty);  // reading it acknowledges
    CHECK_FALSE(bench.line());
    CHECK(bench.iir() == kNoInterrupt);
    bench.out(THR, 'a', sc_time(3, SC_NS));
    CHECK(bench.line());
    bench.out(THR, 'b');
    CHECK(bench.buffer.output() == "ab");
    CHECK(bench.in(LSR) == (THRE | TEMT));
    CHECK(bench.iir() == kHoldingEmpty);
    bench.out(IER, 2);
    CHECK(bench.iir() == kNoInterrupt);  // it was enabled before
    bench.out(IER, 0);
    bench.out(IER, 2);
    CHECK(bench.iir() == kHoldingEmpty);
  });
}

TEST_CASE("uart: without FIFOs a new character replaces the old one, with OE") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(IER, 5);
    bench.arrive("a");
    CHECK(bench.in(LSR) == (DR | THRE | TEMT));
    CHECK(bench.iir() == kDataAvailable);
    bench.arrive("b");
    CHECK(bench.iir() == kLineStatus);
    CHECK(bench.in(LSR) == (DR | OE | THRE | TEMT));
    CHECK(bench.iir() == kDataAvailable);
    CHECK(bench.in(RBR) == 'b');
    CHECK(bench.in(LSR) == (THRE | TEMT));
    CHECK_FALSE(bench.line());
    CHECK(bench.in(RBR) == 0);
  });
}

TEST_CASE("uart: trigger levels, and a full FIFO keeps its characters") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(IER, 1);
    const unsigned levels[] = {1, 4, 8, 14};
    for (unsigned i = 0; i < 4; ++i) {
      bench.out(FCR, i << 6 | 1);
      CHECK((bench.in(IIR)&0xC0) == 0xC0);
      for (unsigned n = 1; n <= 16; ++n) {
        bench.arrive(std::string(1, static_cast<char>('a' + n)));
        CHECK(bench.line() == (n >= levels[i]));
      }
      CHECK(bench.in(LSR) == (DR | THRE | TEMT));
      bench.arrive("z");
      CHECK(bench.in(LSR) == (DR | OE | THRE | TEMT));
      for (unsigned n = 1; n <= 16; ++n) {
        CHECK(bench.line() == (17 - n >= levels[i]));
        CHECK(bench.in(RBR) == 'a' + n);
      }
      CHECK(bench.in(LSR) == (THRE | TEMT));
    }
  });
}

TEST_CASE("uart: characters below the trigger level time out after four character times") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(LCR, 0x03);
    bench.out(FCR, 0x81);  // 8 characters
    bench.out(IER, 1);
    const sc_time character = bench.uart.character_time();
    wait(sc_time(100, SC_US));
    const sc_time start = sc_time_stamp();
    bench.arrive("ab");
    wait(character);
    bench.arrive("c");
    CHECK_FALSE(bench.line());
    wait(10 * character);
    REQUIRE(bench.line());
    CHECK(bench.lines.back().at == start + 5 * character);
    CHECK(bench.iir() == kTimeout);
    CHECK(bench.in(RBR) == 'a');  // acknowledges, and four more characters begin
    CHECK_FALSE(bench.line());
    const sc_time read = sc_time_stamp();
    wait(10 * character);
    CHECK(bench.lines.back().at == read + 4 * character);
    CHECK(bench.iir() == kTimeout);
    bench.arrive("defgh");
    CHECK(bench.iir() == kTimeout);
    bench.arrive("i");
    CHECK(bench.iir() == kDataAvailable);  // the trigger level goes first
    while ((bench.in(LSR)&DR) != 0) bench.in(RBR);
    wait(10 * character);
    CHECK_FALSE(bench.line());
  });
}

TEST_CASE("uart: a timeout that nothing has enabled is found by the next access") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(FCR, 0xC1);
    bench.arrive("a");
    const sc_time four = 4 * bench.uart.character_time();
    bench.out(IER, 1, four - sc_time::from_value(1));
    CHECK_FALSE(bench.line());
    CHECK((bench.in(IIR, four) & 15) == kTimeout);  // a hart that is ahead
    CHECK(bench.line());
  });
}

TEST_CASE("uart: errors appear with their character, bit 7 while there are more") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(FCR, 1);
    bench.out(IER, 5);
    bench.uart.arrive('a');
    bench.uart.arrive('b', PE);
    bench.uart.arrive('c');
    bench.uart.arrive(0, BI | FE);
    CHECK(bench.iir() == kDataAvailable);
    CHECK(bench.in(LSR) == (FIFO_ERROR | DR | THRE | TEMT));
    CHECK(bench.in(RBR) == 'a');
    CHECK(bench.iir() == kLineStatus);
    CHECK(bench.in(LSR) == (FIFO_ERROR | PE | DR | THRE | TEMT));
    CHECK(bench.in(LSR) == (FIFO_ERROR | DR | THRE | TEMT));
    CHECK(bench.iir() == kDataAvailable);
    bench.in(RBR);
    bench.in(RBR);
    CHECK(bench.in(LSR) == (FIFO_ERROR | BI | FE | DR | THRE | TEMT));
    CHECK(bench.in(LSR) == (DR | THRE | TEMT));
  });
}

TEST_CASE("uart: loopback returns characters and modem lines, the other end gets nothing") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    CHECK((bench.in(MSR)&0xF0) == 0xB0);
    bench.out(IER, 8);
    bench.out(MCR, 0x10);
    CHECK(bench.iir() == kModemStatus);
    CHECK(bench.in(MSR) == 0x0B);  // CTS, DSR and DCD have changed
    CHECK(bench.in(MSR) == 0x00);
    CHECK(bench.iir() == kNoInterrupt);
    bench.out(MCR, 0x10 | 2);
    CHECK(bench.in(MSR) == 0x11);
    bench.out(MCR, 0x10 | 1);
    CHECK(bench.in(MSR) == 0x23);
    bench.out(MCR, 0x10 | 4);
    CHECK(bench.in(MSR) == 0x42);  // the beginning of a ring does not count
    bench.out(MCR, 0x10 | 8);
    CHECK(bench.in(MSR) == 0x8C);  // its end does

    bench.buffer.type("from outside");
    bench.out(FCR, 1);
    bench.send("inside");
    wait(sc_time(10, SC_MS));
    std::string heard;
    while ((bench.in(LSR)&DR) != 0) heard += static_cast<char>(bench.in(RBR));
    CHECK(heard == "inside");
    CHECK(bench.buffer.output().empty());
    CHECK(bench.buffer.unread() == 12);
    for (unsigned i = 0; i < 17; ++i) bench.out(THR, i);
    CHECK((bench.in(LSR)&OE) != 0);
    bench.out(MCR, 0);
    CHECK((bench.in(MSR)&0xF0) == 0xB0);
  });
}

TEST_CASE("uart: with baud timing the line takes a character at a time") {
  UartBench bench(UartBench::timed());
  bench.run([&] {
    bench.out(LCR, 3);
    bench.out(FCR, 1);
    const sc_time character = bench.uart.character_time();
    bench.out(IER, 2);
    bench.iir();
    bench.out(THR, 'a');
    CHECK(bench.in(LSR) == THRE);  // it is on the line
    CHECK(bench.iir() == kHoldingEmpty);
    for (unsigned i = 0; i < 17; ++i) bench.out(THR, 'b' + i);  // one too many
    CHECK(bench.in(LSR) == 0);
    CHECK_FALSE(bench.line());
    wait(character - sc_time::from_value(1));
    CHECK(bench.buffer.output().empty());
    wait(sc_time::from_value(2));
    CHECK(bench.buffer.output() == "a");
    wait(15 * character);
    REQUIRE(bench.line());
    CHECK(bench.lines.back().at == 16 * character);
    CHECK(bench.in(LSR) == THRE);
    CHECK(bench.in(LSR, character) == (THRE | TEMT));  // a hart that is ahead
    CHECK(bench.buffer.output() == "abcdefghijklmnopq");
  });
}

TEST_CASE("uart: without FIFOs a second character in the holding register replaces the first") {
  UartBench bench(UartBench::timed());
  bench.run([&] {
    bench.send("abc");
    CHECK(bench.in(LSR) == 0);
    wait(sc_time(100, SC_MS));
    CHECK(bench.buffer.output() == "ac");
    CHECK(bench.in(LSR) == (THRE | TEMT));
  });
}

TEST_CASE("uart: FCR empties what it names, and everything when it switches") {
  UartBench bench(UartBench::timed());
  bench.run([&] {
    bench.out(FCR, 1);
    bench.send("abc");
    bench.arrive("xyz");
    bench.out(FCR, 1 | 2);
    CHECK(bench.in(LSR) == 0);
    bench.arrive("xyz");
    bench.out(FCR, 1 | 4);
    CHECK(bench.in(LSR) == (DR | THRE));
    bench.out(FCR, 0xFE);  // other bits have no effect without bit 0
    CHECK(bench.in(LSR) == THRE);
    CHECK((bench.in(IIR)&0xC0) == 0);
    bench.out(THR, 'd');
    bench.out(FCR, 1);
    wait(sc_time(100, SC_MS));
    CHECK(bench.buffer.output() == "a");  // on the line already
  });
}

TEST_CASE("uart: input is polled in simulated time and waits for room") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.buffer.type("0123456789abcdefXYZ");
    wait(sc_time(1, SC_MS) - sc_time::from_value(1));
    CHECK((bench.in(LSR)&DR) == 0);
    wait(sc_time::from_value(2));
    CHECK((bench.in(LSR)&DR) != 0);
    CHECK(bench.buffer.unread() == 18);  // one character without FIFOs
    bench.out(FCR, 1);                   // drops it
    wait(sc_time(1, SC_MS));
    CHECK(bench.buffer.unread() == 2);
    wait(sc_time(5, SC_MS));
    CHECK(bench.buffer.unread() == 2);
    CHECK((bench.in(LSR)&OE) == 0);
    std::string heard;
    for (unsigned i = 0; i < 20; ++i) {
      while ((bench.in(LSR)&DR) != 0) heard += static_cast<char>(bench.in(RBR));
      wait(sc_time(1, SC_MS));
    }
    CHECK(heard == "123456789abcdefXYZ");
  });
}

TEST_CASE("uart: with baud timing input comes a character at a time") {
  UartBench bench(UartBench::timed());
  bench.run([&] {
    bench.out(LCR, 3);
    bench.out(FCR, 1);
    bench.buffer.type("abc");
    wait(sc_time(1, SC_MS) + sc_time::from_value(1));
    CHECK(bench.buffer.unread() == 2);
    wait(bench.uart.character_time());
    CHECK(bench.buffer.unread() == 1);
    wait(bench.uart.character_time());
    CHECK(bench.buffer.unread() == 0);
  });
}

TEST_CASE("uart: a script types when its text has come, at a simulated time") {
  UartBench::Config config = UartBench::config();
  mgmt::BufferBackend buffer;
  mgmt::ScriptedInput script(buffer, {{"login: ", "root\n"}, {"\n# ", "ls\n"}});
  UartBench bench(config, &script);
  bench.run([&] {
    bench.out(FCR, 1);
    const auto print = [&](std::string_view text) { bench.send(text, sc_time(5, SC_US)); };
    const auto heard = [&] {
      std::string text;
      while ((bench.in(LSR)&DR) != 0) text += static_cast<char>(bench.in(RBR));
      return text;
    };
    wait(sc_time(10, SC_MS));
    print("Welcome\nlogin:");
    wait(sc_time(10, SC_MS));
    CHECK(heard().empty());
    CHECK(script.waiting_for() == "login: ");
    print(" ");
    CHECK(script.waiting_for() == "\n# ");
    wait(sc_time(1, SC_MS));
    CHECK(heard().empty());
    wait(sc_time(6, SC_US));  // a poll after the text, by the time of the hart
    CHECK(heard() == "root\n");
    CHECK_FALSE(script.done());
    print("root\n# ");
    wait(sc_time(10, SC_MS));
    CHECK(heard() == "ls\n");
    CHECK(script.done());
    CHECK(buffer.output() == "Welcome\nlogin: root\n# ");
    buffer.type("then I");
    wait(sc_time(10, SC_MS));
    CHECK(heard() == "then I");
  });
}

TEST_CASE("uart: a debugger changes nothing") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    bench.out(FCR, 1);
    bench.out(IER, 0xF);
    bench.arrive("ab");
    bench.uart.arrive('c', PE);
    bench.out(MCR, 0x12);
    for (unsigned i = 0; i < 3; ++i) {
      CHECK(bench.look(RBR, 1) == 'a');
      CHECK((bench.look(IIR, 1) & 15) == kDataAvailable);
      CHECK(bench.look(MSR, 1) == 0x1A);
      CHECK(bench.look(0, 8) >> 40 == (bench.look(LSR, 1) | 0x1A00));
    }
    bench.in(RBR);
    bench.in(RBR);
    for (unsigned i = 0; i < 3; ++i) CHECK((bench.look(LSR, 1) & PE) != 0);
    CHECK(bench.in(LSR) == (FIFO_ERROR | PE | DR | THRE | TEMT));
    bench.in(RBR);
    bench.in(MSR);
    for (unsigned i = 0; i < 3; ++i) CHECK((bench.look(IIR, 1) & 15) == kHoldingEmpty);
    CHECK(bench.iir() == kHoldingEmpty);
  });
}

TEST_CASE("uart: bytes alone, eight registers") {
  UartBench bench(UartBench::config());
  bench.run([&] {
    for (const unsigned size : {2U, 4U, 8U}) {
      CHECK(bench.read(0, size).status == tlm::TLM_BURST_ERROR_RESPONSE);
      CHECK(bench.write(0, size, 'x') == tlm::TLM_BURST_ERROR_RESPONSE);
    }
    CHECK(bench.read(8, 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.buffer.output().empty());
  });
}

TEST_CASE("uart: a snapshot continues with its characters, their times and its line") {
  UartBench bench(UartBench::timed());
  bench.run([&] {
    bench.out(LCR, 3);
    bench.out(FCR, 0x41);
    bench.out(IER, 3);
    const sc_time character = bench.uart.character_time();
    bench.send("abc");
    bench.arrive("xy");
    wait(0.5 * character);
    const mgmt::UartState state = bench.uart.save();
    wait(1000 * character);
    bench.out(FCR, 0);
    bench.out(IER, 0);
    bench.lines.clear();
    const sc_time then = sc_time_stamp();
    bench.uart.restore(state);
    REQUIRE(bench.lines.size() == 1);
    CHECK_FALSE(bench.line());
    CHECK(bench.in(LSR) == DR);
    wait(0.5 * character);
    CHECK(bench.in(LSR) == DR);
    wait(1.5 * character);  // c is on the line
    CHECK(bench.lines.back().at - then >= 1.4 * character);
    CHECK(bench.lines.back().at - then <= 1.6 * character);
    CHECK(bench.iir() == kHoldingEmpty);
    wait(10 * character);
    CHECK(bench.iir() == kTimeout);
    CHECK(bench.in(RBR) == 'x');
    CHECK(bench.buffer.output() == "abcabc" + std::string(bench.buffer.output().size() - 6, '?'));

    mgmt::UartState invalid = state;
    invalid.received.count = 17;
    CHECK_THROWS_AS(bench.uart.restore(invalid), RunError);
    invalid = state;
    invalid.waiting.count = 17;
    CHECK_THROWS_AS(bench.uart.restore(invalid), RunError);
    invalid = state;
    invalid.trigger = 0;
    CHECK_THROWS_AS(bench.uart.restore(invalid), RunError);

    bench.uart.reset();
    CHECK_FALSE(bench.line());
    CHECK(bench.in(LSR) == (THRE | TEMT));
    CHECK(bench.in(IER) == 0);
    bench.buffer.type("k");
    wait(sc_time(2, SC_MS));
    CHECK(bench.in(RBR) == 'k');
  });
}

TEST_CASE("uart: an open line drops output and has no input, also after a snapshot of another") {
  UartBench::Config config = UartBench::config();
  UartBench bench(config, nullptr);
  bench.run([&] {
    bench.out(THR, 'a');
    mgmt::UartState state = bench.uart.save();
    state.poll = sc_time(1, SC_US);
    bench.uart.restore(state);
    wait(sc_time(1, SC_MS));
    CHECK(bench.in(LSR) == (THRE | TEMT));
  });
}

TEST_CASE("uart: impossible configurations are named") {
  UartBench::Config config = UartBench::config();
  config.clock_hz = 0;
  CHECK_THROWS_AS(mgmt::Uart16550("clock", config, nullptr, nullptr), UserError);
  config = {};
  config.poll = sc_core::SC_ZERO_TIME;
  CHECK_THROWS_AS(mgmt::Uart16550("poll", config, nullptr, nullptr), UserError);
}
