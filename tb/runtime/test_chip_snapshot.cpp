// SPDX-License-Identifier: Apache-2.0
// Snapshots of a chip: what runs after a restore has the same bits, times and trace as on the chip
// that was saved.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "sw/base/child_process.h"
#include "sw/base/user_error.h"
#include "sw/platform/chip_snapshot.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/chip/simulation.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/seed.h"
#include "tb/common/temp_folder.h"
#include "tb/core/bench/program.h"
#include "tb/runtime/chip_walk.h"
#include "tb/runtime/edited_snapshots.h"

using namespace tern;  // NOLINT: test file

namespace {

const char* const kKind = "test";

void save(HostedChip& chip, const std::string& path, const std::string& state = {}) {
  base::AtomicFile file(path);
  save_chip(chip, {kKind, state}, file);
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

std::shared_ptr<tb::EventLog> listen(HostedChip& chip) {
  auto log = std::make_shared<tb::EventLog>();
  chip.trace().add_sink(log);
  return log;
}

// Both at the same time, each in a thread of its own.
void run_both(const std::function<void()>& a, const std::function<void()>& b) {
  bool done = false;
  sc_core::sc_event ended;
  std::exception_ptr error;
  sc_core::sc_spawn([&] {
    try {
      b();
    } catch (const std::exception&) {
      error = std::current_exception();
    }
    done = true;
    ended.notify(sc_core::SC_ZERO_TIME);
  });
  a();
  while (!done) sc_core::wait(ended);
  if (error) std::rethrow_exception(error);
}

// In any order: two chips of one simulation take turns within an instant. Empty: none.
std::string first_difference(std::vector<std::string> a, std::vector<std::string> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return a[i] + " | " + b[i];
  }
  return a.size() == b.size() ? "" : "one has more";
}

// What a process of its own does: "save" or "restore" a file, then the same, of which it writes
// everything down.
void walk(const std::string& what, const std::string& file, std::uint64_t seed,
          const std::string& record) {
  Simulation simulation;
  HostedChip chip("chip", tb::walked_chip());
  const auto log = listen(chip);
  simulation.run([&] {
    tb::ChipWalk first(chip);
    std::mt19937_64 random(seed), other(seed + 1);
    if (what == "save") {
      first.run_kernels(random, 2);
      first.stir(random);
      save(chip, file, "notes of the host");
    } else {
      if (what == "restore used") {
        first.run_kernels(other, 1);
        first.stir(other);
      }
      const ChipSnapshot snapshot(file, kKind, chip.config());
      if (snapshot.owner_state() != "notes of the host") throw RunError("other notes");
      snapshot.restore(chip);
    }
    log->begin(now_fs());
    std::mt19937_64 next(seed + 2);
    tb::ChipWalk second(chip);
    second.run_kernels(next, 2);
    second.stir(next);
    std::ofstream out(record);
    out << now_fs() << '\n' << second.results() << '\n' << second.registers();
    for (const std::string& line : log->lines()) out << line << '\n';
  });
}

std::string walk_apart(const std::string& what, const std::string& file, std::uint64_t seed,
                       const std::string& record) {
  setenv("TERN_WALK", (what + "\n" + file + "\n" + std::to_string(seed) + "\n" + record).c_str(),
         1);
  const base::ChildResult result =
      base::run_child({base::own_program(), "chip snapshot: a process of its own"});
  INFO(result.out << result.error);
  REQUIRE(result.exit_code == 0);
  return tb::read_bytes(record);
}

}  // namespace

TEST_CASE("chip snapshot: a process of its own", "[.]") {
  const char* const text = std::getenv("TERN_WALK");
  if (text == nullptr) return;
  std::istringstream lines(text);
  std::string what, file, seed, record;
  std::getline(lines, what);
  std::getline(lines, file);
  std::getline(lines, seed);
  std::getline(lines, record);
  walk(what, file, std::stoull(seed), record);
}

TEST_CASE("chip snapshot: continued in another process, the same instants, bits and trace") {
  const tb::TempFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  const std::uint64_t seed = 100 * tb::test_seed();
  const std::string whole = walk_apart("save", path("chip.snap"), seed, path("whole"));
  CHECK(walk_apart("restore", path("chip.snap"), seed, path("fresh")) == whole);
  CHECK(walk_apart("restore used", path("chip.snap"), seed, path("used")) == whole);
  CHECK(std::count(whole.begin(), whole.end(), '\n') > 5000);  // it is not empty
}

TEST_CASE("chip snapshot: restored into a used chip, random programs run alike on both") {
  const tb::TempFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  Simulation simulation;
  HostedChip a("a", tb::walked_chip()), b("b", tb::walked_chip());
  const auto log_a = listen(a), log_b = listen(b);
  simulation.run([&] {
    for (unsigned round = 0; round < 4; ++round) {
      const std::uint64_t seed = 1000 * tb::test_seed() + 10 * round;
      INFO("seed " << seed);
      std::mt19937_64 random(seed), other(seed + 1);
      tb::ChipWalk on_a(a), on_b(b);
      run_both(
          [&] {
            on_a.run_kernels(random, 1);
            on_a.stir(random);
          },
          [&] { on_b.run_kernels(other, 1); });
      save(a, path("a"));
      b.settle();
      CHECK_THAT(message_of([&] { ChipSnapshot(path("a"), kKind, b.config()).restore(b); }),
                 Catch::Contains("which is over"));
      save(a, path("a"));
      ChipSnapshot(path("a"), kKind, b.config()).restore(b);
      log_a->begin(now_fs());
      log_b->begin(now_fs());
      CHECK(tb::ChipWalk(a).registers() == tb::ChipWalk(b).registers());
      tb::ChipWalk next_a(a), next_b(b);
      std::uint64_t end_a = 0, end_b = 0;
      const auto next = [&](tb::ChipWalk& on, std::uint64_t* end) {
        std::mt19937_64 numbers(seed + 2);
        on.run_kernels(numbers, 1);
        on.stir(numbers);
        *end = now_fs();
      };
      run_both([&] { next(next_a, &end_a); }, [&] { next(next_b, &end_b); });
      CHECK(end_a == end_b);
      CHECK(next_a.results() == next_b.results());
      CHECK(next_a.registers() == next_b.registers());
      CHECK(log_a->lines().size() > 1000);
      CHECK(first_difference(log_a->lines(), log_b->lines()) == "");
      log_a->stop();
      log_b->stop();
      // Nothing that is saved differs.
      run_both([&] { save(a, path("again_a")); }, [&] { save(b, path("again_b")); });
      CHECK(tb::read_bytes(path("again_a")) == tb::read_bytes(path("again_b")));
    }
  });
}

TEST_CASE("chip snapshot: what is in flight is named") {
  const tb::TempFolder folder;
  const std::string path = (folder.path() / "chip.snap").string();
  Simulation simulation;
  HostedChip chip("chip", tb::walked_chip());
  simulation.run([&] {
    runtime::Runtime runtime(chip.host());
    const auto refused = [&] { return message_of([&] { save(chip, path); }); };
    Executable waiting;
    waiting.name = "waiting";
    waiting.queues[TERN_QUEUE_SCALAR] = {tb::waits(tb::halt(), TERN_WAIT_COND_EVENT, 3, 1)};
    auto program = runtime.load(waiting, {}, 1);
    runtime.execute(program);
    CHECK_THAT(refused(), Catch::Contains("a snapshot needs a chip at rest: core1: the scalar "
                                          "queue runs a program"));
    chip.host().write32(
        TERN_CORE_BASE + TERN_CORE_STRIDE + TERN_CORE_REGS_BASE + TERN_REG_CORE_EVENT_SET + 4 * 3,
        1);
    runtime.wait(program);
    CHECK(refused() == "no error");
    CHECK(folder.files() == std::vector<std::string>{"chip.snap"});
  });
}

TEST_CASE("chip snapshot: a block in RTL is refused by name") {
  const tb::TempFolder folder;
  const std::string path = (folder.path() / "chip.snap").string();
  ChipConfig config = tb::walked_chip();
  config.near_memory = {Backend::kModel, Backend::kModel, Backend::kRtl};
  ChipOptions options;  // it is asked for by the configuration: no need to have it
  options.core.make_near_memory = [](Backend, const std::string&) {
    return make_near_memory_model();
  };
  Simulation simulation;
  HostedChip chip("chip", config, options);
  simulation.run([&] {
    CHECK_THAT(message_of([&] { save(chip, path); }),
               Catch::Contains("core2: its near-memory adders in RTL, of which no state can be "
                               "saved"));
  });
  CHECK(folder.files().empty());
}

// As from the file of somebody who has made its checksum right.
TEST_CASE("chip snapshot: contents that no chip has are refused, or do no harm") {
  tb::EditedSnapshots snapshots;
  CHECK(snapshots.offer("").empty());
  const std::uint64_t seed = tb::test_seed();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  unsigned refused = 0, restored = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    std::string edits;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      for (unsigned byte = 0; byte < 4; ++byte) edits += static_cast<char>(random());
      edits += static_cast<char>(random() % 3 == 0 ? random() : random() % 2 == 0 ? 255 : 1);
    }
    const std::string message = snapshots.offer(edits);
    ++(message.empty() ? restored : refused);
    if (!message.empty()) CHECK_THAT(message, Catch::Contains("damaged: "));
  }
  CHECK(refused > 20);
  CHECK(restored > 20);
  CHECK(snapshots.offer("").empty());
}

TEST_CASE("chip snapshot: files that do not fit are refused by name") {
  const tb::TempFolder folder;
  const std::string path = (folder.path() / "chip.snap").string();
  Simulation simulation;
  HostedChip chip("chip", tb::walked_chip());
  simulation.run([&] {
    tb::ChipWalk walk(chip);
    std::mt19937_64 random(tb::test_seed());
    walk.stir(random);
    save(chip, path);
  });
  const std::string good = tb::read_bytes(path);
  const auto message = [&](const std::string& bytes, const std::string& kind = kKind,
                           const ChipConfig& config = tb::walked_chip()) {
    folder.put("other.snap", bytes);
    return message_of([&] { ChipSnapshot((folder.path() / "other.snap").string(), kind, config); });
  };
  using Catch::Contains;
  CHECK(message(good) == "no error");
  CHECK_THAT(message(good, "train"), Contains("a snapshot of kind 'test', expected 'train'"));
  ChipConfig faster = tb::walked_chip();
  faster.dma.efficiency = 0.75;
  CHECK_THAT(message(good, kKind, faster),
             Contains("a snapshot of another chip: 'dma.efficiency ") &&
                 Contains(", here dma.efficiency 0.75"));
  CHECK_THAT(message("TERNSNAP" + good.substr(8)), Contains("no snapshot of a chip"));
  CHECK_THAT(message(""), Contains("no snapshot of a chip"));
  std::string newer = good;
  newer[8] = 9;
  CHECK_THAT(message(newer), Contains("a snapshot of version 9, this program reads 4"));
  CHECK_THAT(message(good.substr(0, good.size() - 1)), Contains("its checksum is another one"));
  CHECK_THAT(message(good + "x"), Contains("its checksum is another one"));
  for (std::size_t at = 12; at < good.size(); at += 1 + good.size() / 50) {
    std::string wrong = good;
    wrong[at] = static_cast<char>(wrong[at] ^ 16);
    CHECK_THAT(message(wrong), Contains("damaged"));
  }
}
