// SPDX-License-Identifier: Apache-2.0
// The link between host and board when it fails: one line or another attempt, never a hang.
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/fpga/board.h"
#include "sw/fpga/serial_port.h"
#include "systemc/cosim/fpga_sim.h"
#include "tb/common/seed.h"
#include "tb/fpga/fpga_bench.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using fpga::Board, fpga::Bytes, fpga::Link, fpga::Request;

namespace {

constexpr fpga::LinkSettings kShort = {5, 20000, 3};  // ms of the board's time

// A board whose bytes pass through a function in both directions.
class Disturbed : public fpga::BytePort {
 public:
  using Change = std::function<Bytes(Bytes)>;
  explicit Disturbed(Change to_board, Change from_board = nullptr)
      : board_(tb::fpga_rtl()), to_(std::move(to_board)), from_(std::move(from_board)) {}
  std::string name() const override { return "a disturbed line"; }
  void write(const std::uint8_t* data, std::size_t bytes) override {
    Bytes some(data, data + bytes);
    if (to_) some = to_(std::move(some));
    board_->write(some.data(), some.size());
  }
  std::size_t read(std::uint8_t* data, std::size_t max, unsigned milliseconds) override {
    const std::size_t count = board_->read(data, max, milliseconds);
    if (!from_) return count;
    const Bytes some = from_(Bytes(data, data + count));
    std::copy(some.begin(), some.end(), data);
    return some.size();
  }

 private:
  std::unique_ptr<FpgaSim> board_;
  Change to_, from_;
};

// Answers each read with the same bytes.
class Parrot : public fpga::BytePort {
 public:
  explicit Parrot(Bytes answer) : answer_(std::move(answer)) {}
  std::string name() const override { return "/dev/none"; }
  void write(const std::uint8_t*, std::size_t) override {}
  std::size_t read(std::uint8_t* data, std::size_t max, unsigned) override {
    std::copy_n(answer_.begin(), std::min(max, answer_.size()), data);
    return std::min(max, answer_.size());
  }

 private:
  Bytes answer_;
};

// A byte of noise now and then, without end.
class Trickle : public Parrot {
 public:
  Trickle() : Parrot({0x55}) {}
  std::size_t read(std::uint8_t* data, std::size_t max, unsigned milliseconds) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    return Parrot::read(data, max, milliseconds);
  }
};

// Confirms every request; its ring's status is another one each time, and never the end.
class Busy : public fpga::BytePort {
 public:
  std::string name() const override { return "/dev/none"; }
  void write(const std::uint8_t* data, std::size_t bytes) override {
    for (std::size_t i = 0; i < bytes; ++i) {
      const auto frame = reader_.take(data[i]);
      if (!frame) continue;
      Bytes answer = {static_cast<std::uint8_t>(0x80 | (*frame)[0]), (*frame)[1]};
      if ((*frame)[0] == TERN_FPGA_REQ_INFO)
        answer.insert(answer.end(), {TERN_FPGA_VERSION, 2, 1, 14, 14, 9});
      if ((*frame)[0] == TERN_FPGA_REQ_READ)
        answer.insert(answer.end(), {static_cast<std::uint8_t>(++status_ % 2 + 5), 0, 0, 0});
      answer_ = fpga::frame_of(answer);
    }
  }
  std::size_t read(std::uint8_t* data, std::size_t max, unsigned) override {
    const std::size_t count = std::min(max, answer_.size());
    std::copy_n(answer_.begin(), count, data);
    answer_.clear();
    return count;
  }

 private:
  fpga::FrameReader reader_;
  Bytes answer_;
  unsigned status_ = 0;
};

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const RunError& error) {
    return error.what();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

std::unique_ptr<Link> link_to(std::unique_ptr<fpga::BytePort> port) {
  return std::make_unique<Link>(std::move(port), kShort);
}

// Writes and reads back; returns the requests that were repeated.
std::uint64_t exchange(std::unique_ptr<fpga::BytePort> port) {
  Board board(link_to(std::move(port)));
  std::mt19937 random(static_cast<unsigned>(tb::test_seed()));
  std::vector<std::uint32_t> words(500), back(500);
  for (auto& word : words) word = static_cast<std::uint32_t>(random());
  words[7] = 0xC0C0DBDB;  // bytes of the framing
  words[8] = 0xDCDDC0DB;
  for (unsigned i = 0; i < 4; ++i) {
    board.write(Board::kFirstFree + i, words.data(), words.size());
    board.read(Board::kFirstFree + i, back.data(), back.size());
    CHECK(words == back);
  }
  return board.link().repeated();
}

}  // namespace

TEST_CASE("fpga link: a good line repeats nothing") {
  CHECK(exchange(tb::fpga_rtl()) == 0);
}

TEST_CASE("fpga link: corrupted requests are refused and repeated") {
  unsigned frames = 0;
  CHECK(exchange(std::make_unique<Disturbed>([&](Bytes bytes) {
          if (++frames % 3 == 0) bytes[bytes.size() / 2] ^= 0x10;
          return bytes;
        })) > 3);
}

TEST_CASE("fpga link: lost requests, lost ends and noise before requests") {
  unsigned frames = 0;
  std::mt19937 random(static_cast<unsigned>(tb::test_seed()));
  CHECK(exchange(std::make_unique<Disturbed>([&](Bytes bytes) {
          ++frames;
          if (frames % 9 == 0) return Bytes();
          if (frames % 9 == 3) bytes.pop_back();
          if (frames % 9 == 6) {
            Bytes noise(random() % 3000);
            for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
            bytes.insert(bytes.begin(), noise.begin(), noise.end());
          }
          return bytes;
        })) > 3);
}

TEST_CASE("fpga link: corrupted and lost answers are asked for again") {
  unsigned bytes_seen = 0;
  CHECK(exchange(std::make_unique<Disturbed>(nullptr, [&](Bytes bytes) {
          for (auto& byte : bytes) {
            if (++bytes_seen % 2500 == 0) byte ^= 1;
          }
          return bytes;
        })) > 1);
}

TEST_CASE("fpga link: a board that is silent, or talks nonsense") {
  CHECK(error_of([] { Board board(link_to(std::make_unique<Parrot>(Bytes()))); }) ==
        "FPGA at /dev/none: no answer to 3 requests of 5 ms each: is the bitstream loaded, and is "
        "this the UART of the board?");
  const Bytes noise = {0x00, 0x55, fpga::kEnd, 0x12, fpga::kEsc, 0x00, fpga::kEnd};
  CHECK(error_of([&] {
          Board board(link_to(std::make_unique<Parrot>(noise)));
        }).find("no answer to 3 requests") != std::string::npos);
  const Bytes old = fpga::frame_of({0x81, 1, 9, 2, 1, 14, 14, 9});
  CHECK(error_of([&] {
          Board board(link_to(std::make_unique<Parrot>(old)));
        }).find("its bitstream is of another version") != std::string::npos);
  CHECK(error_of([] {
          exchange(std::make_unique<Disturbed>([](Bytes bytes) {
            bytes[2] ^= 1;
            return bytes;
          }));
        }).find("a request arrived corrupted 3 times") != std::string::npos);
}

TEST_CASE("fpga link: a board that keeps sending, or never gets done") {
  fpga::LinkSettings settings = kShort;
  settings.whole_ms = 40;
  CHECK(error_of([&] {
          Board board(std::make_unique<Link>(std::make_unique<Trickle>(), settings));
        }).find("no answer to 3 requests") != std::string::npos);
  CHECK(error_of([] { Board board(link_to(std::make_unique<Busy>())); }) ==
        "FPGA at /dev/none: its ring makes no progress");
}

TEST_CASE("fpga link: requests that the board refuses") {
  Link link(tb::fpga_rtl(), kShort);
  const auto refusal = [&](Request request, const Bytes& body) {
    return error_of([&] { link.ask(request, body); });
  };
  CHECK(refusal(static_cast<Request>(9), {}).find("unknown request") != std::string::npos);
  const Bytes far = {0xFF, 0x3F, 2};
  CHECK(refusal(Request::kRead, far).find("out of range") != std::string::npos);
  CHECK(refusal(Request::kRead, {0, 0, 0}).find("out of range") != std::string::npos);
  CHECK(refusal(Request::kRead, {0, 0, 241}).find("out of range") != std::string::npos);
  CHECK(refusal(Request::kWrite, {0, 0, 2, 1, 2, 3, 4}).find("out of range") != std::string::npos);
  CHECK(refusal(Request::kDoorbell, {}).find("out of range") != std::string::npos);
  // Longer than any frame: it never reaches the request.
  CHECK(refusal(Request::kWrite, Bytes(2000)).find("corrupted 3 times") != std::string::npos);
  CHECK(link.ask(Request::kInfo, {}).size() == 6);
}

TEST_CASE("fpga link: descriptors that no unit can execute stop the ring") {
  const auto stop = [](const fpga::Descriptor& descriptor) {
    Board board(link_to(tb::fpga_rtl()));
    return error_of([&] { board.run({fpga::to_psum(300, 0, 4), descriptor}); });
  };
  CHECK(stop({0xFFFF0099, 0, 0, 0}) ==
        "FPGA at the RTL of the FPGA: descriptor 1 stopped the ring: unknown operation");
  CHECK(stop(fpga::to_psum(300, 510, 4)).find("outside of a memory") != std::string::npos);
  CHECK(stop(fpga::to_sbuf(16380, 0, 5)).find("outside of a memory") != std::string::npos);
  CHECK(stop(fpga::multiply({513, 1, 0, 0, 0, 0, false})).find("outside") != std::string::npos);
  CHECK(stop(fpga::multiply({1, 0, 0, 0, 0, 0, false})).find("outside") != std::string::npos);
  CHECK(stop({5, 0, 0, 0}).find("outside of a memory") != std::string::npos);
}

TEST_CASE("fpga link: a port that is none") {
  CHECK(error_of([] {
          fpga::open_serial_port("/dev/tern-none");
        }).find("No such file or directory") != std::string::npos);
  CHECK(error_of([] { fpga::open_serial_port("/dev/null"); }).find("no serial device") !=
        std::string::npos);
}
