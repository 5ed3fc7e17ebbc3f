// SPDX-License-Identifier: Apache-2.0
// Conversations, packet by packet, with a client that this file plays.
#include <catch2/catch.hpp>
#include <random>

#include "systemc/mgmt/gdb/session.h"
#include "tb/common/seed.h"
#include "tb/mgmt/gdb/debugged_board.h"

using namespace tern;  // NOLINT
using gdb::Event;
using gdb::Wish;

namespace {

constexpr std::uint64_t kBase = tb::DebuggedBoard::kBase;

class Client {
 public:
  tb::DebuggedBoard board;
  gdb::Session session{board};

  // The answer to a packet, without its frame.
  std::string ask(std::string_view packet) {
    session.receive(gdb::framed(packet));
    return answer();
  }
  std::string answer() {
    gdb::PacketReader reader;
    reader.add(session.take_output());
    const auto item = reader.next();
    return item ? item->text : "nothing";
  }
  // Resumes and runs; the answer is why it stopped.
  std::string run(std::string_view packet) {
    session.receive(gdb::framed(packet));
    const auto wish = session.take_wish();
    REQUIRE(wish);
    session.report(board.run(*wish, [] { return false; }));
    return answer();
  }
};

void load(Client& client, const std::vector<std::uint32_t>& code) {
  client.board.load(kBase, code.data(), 4 * code.size());
}

std::string little_endian(std::uint64_t value) {
  return gdb::hex_of(&value, sizeof value);
}

}  // namespace

TEST_CASE("gdb session: what it supports, why the target stands still") {
  Client client;
  CHECK(client.ask("qSupported:multiprocess+").find("QStartNoAckMode+") != std::string::npos);
  CHECK(client.ask("?") == "T02thread:1;");
  CHECK(client.ask("qfThreadInfo") == "m1,2");
  CHECK(client.ask("qsThreadInfo") == "l");
  CHECK(client.ask("qThreadExtraInfo,2") == gdb::hex_of("hart 1: M mode"));
  CHECK(client.ask("vMustReplyEmpty").empty());
  CHECK(client.ask("vCont?") == "vCont;c;C;s;S");
  CHECK(client.ask("Z9,0,0").empty());
  CHECK(client.ask("T3") == "E16");
  CHECK(client.ask("qRcmd," + gdb::hex_of("time")) == gdb::hex_of("you said time\n"));
  CHECK(client.ask("qRcmd," + gdb::hex_of("fail")) == gdb::hex_of("monitor: no such command\n"));
}

TEST_CASE("gdb session: acknowledgements end when the client says so") {
  Client client;
  client.session.receive("$?#3f");
  CHECK(client.session.take_output() == "+" + gdb::framed("T02thread:1;"));
  client.session.receive("$?#40");
  CHECK(client.session.take_output() == "-");
  client.session.receive(gdb::framed("QStartNoAckMode"));
  CHECK(client.session.take_output() == "+" + gdb::framed("OK"));
  client.session.receive("$?#3f");
  CHECK(client.session.take_output() == gdb::framed("T02thread:1;"));
}

TEST_CASE("gdb session: registers, the description names every one that can be read") {
  Client client;
  CHECK(client.ask("P5=" + little_endian(0x123456789abcdef0)) == "OK");
  CHECK(client.ask("p5") == little_endian(0x123456789abcdef0));
  CHECK(client.ask("p20") == little_endian(kBase));
  const std::string all = client.ask("g");
  CHECK(all.size() == 33 * 16);
  CHECK(all.substr(5 * 16, 16) == little_endian(0x123456789abcdef0));
  CHECK(client.ask("G" + all) == "OK");
  CHECK(client.ask("G00") == "E16");
  CHECK(client.ask("P41=0") == "E16");
  CHECK(client.ask("p1041") == little_endian(3));                    // the mode
  CHECK(client.ask("p" + std::string("341")) != "E16");              // CSR 0x300
  CHECK(client.ask("P381=" + little_endian(kBase + 0x80)) == "OK");  // mscratch
  CHECK(client.ask("p381") == little_endian(kBase + 0x80));
  CHECK(client.ask("pffff") == "E16");
  CHECK(client.ask("Hg2") == "OK");
  CHECK(client.ask("p5") == little_endian(0));
  CHECK(client.ask("Hg3") == "E16");

  std::string xml, part;
  do {
    part = client.ask("qXfer:features:read:target.xml:" + gdb::hex_of("").append([&] {
      char text[32];
      std::snprintf(text, sizeof text, "%zx,100", xml.size());
      return std::string(text);
    }()));
    REQUIRE(part.size() > 1);
    xml += part.substr(1);
  } while (part[0] == 'm');
  for (const char* name : {"\"zero\"", "\"pc\"", "\"fa0\"", "\"fcsr\"", "\"mstatus\"", "\"satp\"",
                           "\"pmpaddr15\"", "\"priv\"", "riscv:rv64"}) {
    CAPTURE(name);
    CHECK(xml.find(name) != std::string::npos);
  }
  std::size_t at = 0;
  unsigned registers = 0;
  while ((at = xml.find("regnum=\"", at)) != std::string::npos) {
    at += 8;
    char packet[16];
    std::snprintf(packet, sizeof packet, "p%x", std::stoi(xml.substr(at)));
    CAPTURE(packet);
    CHECK(client.ask(packet) != "E16");
    ++registers;
  }
  CHECK(registers > 120);
}

TEST_CASE("gdb session: memory, also across pages, and devices without their side effects") {
  Client client;
  CHECK(client.ask("M80000ffe,4:11223344") == "OK");
  CHECK(client.ask("m80000ffe,4") == "11223344");
  CHECK(client.ask("X80000010,3:a$#") == "OK");
  CHECK(client.ask("m80000010,3") == gdb::hex_of("a$#"));
  CHECK(client.ask("m10000000,4") == "00000000");
  CHECK(client.board.reads == 0);
  CHECK(client.ask("m0,4") == "E0e");
  CHECK(client.ask("M10000000,4:00000000") == "E0e");
  CHECK(client.ask("m800ffffe,4") == "0000");  // the memory ends there
  CHECK(client.ask("mffffffffffffffff,ffffffffffffffff") == "E0e");
  CHECK(client.ask("m80000000,ffffffffffffffff").size() <= gdb::kPacketBytes);
  CHECK(client.ask("M80000000,5:00") == "E16");
  CHECK(client.ask("m80000000") == "E16");
}

TEST_CASE("gdb session: steps, breakpoints, watchpoints, end") {
  Client client;
  load(client, {0x00100293,              // li x5, 1
                0x00228293,              // loop: addi x5, x5, 2
                0x80008337,              // lui x6, 0x80008 (sign-extended)
                0x02031313, 0x02035313,  // slli, srli x6, x6, 32
                0x00533023,              // sd x5, 0(x6)
                0xfedff06f});            // j loop
  CHECK(client.run("vCont;s:1;c") == "T05thread:1;");
  CHECK(client.ask("p20") == little_endian(kBase + 4));
  CHECK(client.ask("p5") == little_endian(1));
  CHECK(client.ask("Z1,80000014,4") == "OK");
  CHECK(client.ask("Z1,80000014,4") == "OK");
  CHECK(client.run("vCont;c") == "T05hwbreak:;thread:1;");
  CHECK(client.ask("p20") == little_endian(kBase + 0x14));
  CHECK(client.run("c") == "T05hwbreak:;thread:1;");  // it comes round before its turn ends
  CHECK(client.ask("z1,80000014,4") == "OK");
  CHECK(client.ask("Z2,80008004,4") == "OK");
  CHECK(client.run("c") == "T05watch:80008004;thread:1;");
  CHECK(client.ask("z2,80008004,4") == "OK");
  CHECK(client.ask("Z3,80008000,8") == "OK");
  CHECK(client.ask("Z2,ffffffffffffffff,8") == "E16");
  CHECK(client.ask("Z2,80008000,0") == "E16");
  CHECK(client.ask("P6=" + little_endian(0x100000)) == "OK");
  CHECK(client.ask("P20=" + little_endian(kBase + 0x14)) == "OK");
  CHECK(client.run("c") == "W05");
}

TEST_CASE("gdb session: an interrupt stops a target that runs, other packets wait for none") {
  Client client;
  load(client, {0x0000006f});
  client.session.receive(gdb::framed("vCont;c"));
  REQUIRE(client.session.take_wish());
  CHECK_FALSE(client.session.interrupted());
  client.session.receive(gdb::framed("g") + "\x03");
  CHECK(client.session.interrupted());
  client.session.take_output();
  client.session.report({Event::Kind::kRequest, 1, {}, 0});
  CHECK(client.answer() == "T02thread:2;");
  CHECK(client.ask("qC") == "QC2");
  client.session.receive(gdb::framed("D"));
  CHECK(client.session.take_wish()->kind == Wish::Kind::kDetach);
}

TEST_CASE("gdb session: an interrupt that comes with the continue stops it, too") {
  Client client;
  client.session.receive(gdb::framed("vCont;c") + "\x03");
  REQUIRE(client.session.take_wish());
  CHECK_FALSE(client.session.interrupted());
  client.session.receive({});
  CHECK(client.session.interrupted());
}

TEST_CASE("gdb session: backwards, of a target that can") {
  Client client;
  CHECK(client.ask("qSupported").find("Reverse") == std::string::npos);
  CHECK(client.ask("bs").empty());
  CHECK_FALSE(client.session.take_wish());
  client.board.goes_back = true;
  CHECK(client.ask("qSupported").find("ReverseStep+;ReverseContinue+") != std::string::npos);
  const auto wish_of = [&client](std::string_view packet) {
    client.session.receive(gdb::framed(packet));
    const auto wish = client.session.take_wish();
    REQUIRE(wish);
    return *wish;
  };
  CHECK(client.ask("Hc2") == "OK");
  const Wish step = wish_of("bs");
  CHECK(step.kind == Wish::Kind::kStepBack);
  CHECK(step.hart == 1);
  client.session.report({Event::Kind::kStep, 1, {}, 0});
  CHECK(client.answer() == "T05thread:2;");
  CHECK(client.ask("Hg1") == "OK");
  CHECK(client.ask("Hc0") == "OK");
  CHECK(wish_of("bs").hart == 0);  // the one that the client looks at
  client.session.report({Event::Kind::kBegin, 0, {}, 0});
  CHECK(client.answer() == "T05replaylog:begin;thread:1;");
  CHECK(wish_of("bc").kind == Wish::Kind::kRunBack);
  client.session.receive("\x03");
  CHECK(client.session.interrupted());
  client.session.report({Event::Kind::kWatchpoint, 0, {kBase, 8, {}}, 0});
  CHECK(client.answer() == "T05watch:80000000;thread:1;");
  CHECK(client.ask("bx").empty());
  CHECK(client.ask("b").empty());
}

TEST_CASE("gdb session: the target hears of every register that is written") {
  Client client;
  CHECK(client.ask("P5=" + little_endian(1)) == "OK");
  const std::string all = client.ask("g");
  CHECK(client.ask("G" + all) == "OK");
  CHECK(client.board.written.size() == 1 + 33);
  client.session.receive(gdb::framed("s80000010"));
  CHECK(client.session.take_wish()->kind == Wish::Kind::kStep);
  CHECK(client.board.written.back() == 32);
}

TEST_CASE(
    "gdb session: the end of the target is told to a client that waits and to one that does not") {
  for (const bool waits : {false, true}) {
    Client client;
    if (waits) {
      client.session.receive(gdb::framed("c"));
      REQUIRE(client.session.take_wish());
    }
    client.session.take_output();
    client.session.end({Event::Kind::kEnded, 0, {}, 2});
    CHECK(client.answer() == "X02");
  }
}

TEST_CASE("gdb session: requests that make no sense") {
  Client client;
  CHECK(client.ask("vCont;") == "E16");
  CHECK(client.ask("vCont;x") == "E16");
  CHECK(client.ask("P20=" + little_endian(kBase + 1)) == "E16");
  CHECK(client.ask("p20") == little_endian(kBase));
}

TEST_CASE("gdb session: a step over a watched store reports it") {
  Client client;
  load(client, {0x00533023, 0x13});  // sd x5, 0(x6)
  CHECK(client.ask("P6=" + little_endian(kBase + 0x100)) == "OK");
  CHECK(client.ask("Z2,80000100,8") == "OK");
  CHECK(client.run("vCont;s:1") == "T05watch:80000100;thread:1;");
  CHECK(client.ask("p20") == little_endian(kBase + 4));
  CHECK(client.run("vCont;s:1") == "T05thread:1;");
}

TEST_CASE("gdb session: a client that leaves takes its breakpoints with it") {
  tb::DebuggedBoard board;
  const std::uint32_t code[] = {0x13, 0x13, 0x0000006f};
  board.load(kBase, code, sizeof code);
  {
    gdb::Session session(board);
    session.receive(gdb::framed("Z0,80000004,2") + gdb::framed("Z4,80000000,8"));
  }
  CHECK(board.hart(0).run(100) == riscv::Stop::kBudget);
}

TEST_CASE("gdb session: garbage is answered or ignored") {
  std::mt19937_64 random(tb::test_seed());
  const std::string letters = "?gGpPmMXzZHcsTDkqQv0123456789abcdef,:;=-+$#*}\x03";
  const char* const begins[] = {"qXfer:features:read:target.xml:",
                                "vCont;",
                                "qRcmd,",
                                "qThreadExtraInfo,",
                                "m",
                                "M",
                                "X",
                                "Z",
                                "z",
                                "P",
                                "p",
                                "H",
                                "G"};
  for (unsigned round = 0; round < 20000; ++round) {
    static Client client;
    std::string packet = random() % 2 == 0 ? begins[random() % std::size(begins)] : "";
    for (unsigned left = random() % 40; left > 0; --left)
      packet +=
          random() % 20 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
    client.session.receive(random() % 4 == 0 ? packet : gdb::framed(packet));
    if (client.session.take_wish()) client.session.report({});
    CHECK(client.session.take_output().size() < 4 * gdb::kPacketBytes);
  }
}
