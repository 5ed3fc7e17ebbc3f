// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sw/runtime/deadlock.h"
#include "sw/runtime/executable.h"
#include "sw/runtime/hbm_allocator.h"
#include "sw/runtime/host_dma.h"
#include "sw/runtime/host_port.h"
#include "sw/runtime/program_image.h"

namespace tern::runtime {

// A program in device memory, ready for one core; it may be executed any number of times. It
// borrows the tensors' buffers: keep them alive.
class Program {
 public:
  const Executable& executable() const { return executable_; }
  unsigned core() const { return core_; }

 private:
  friend class Runtime;
  Program(Executable executable, unsigned core)
      : executable_(std::move(executable)), layout_(executable_), core_(core) {}
  Executable executable_;
  ProgramLayout layout_;
  unsigned core_;
  Buffer memory_;
  std::vector<unsigned> semaphores_, events_;  // used by the program: zeroed before each run
  sc_core::sc_time start_;
  bool has_parts_elsewhere_ = false;  // on other chips
};

// What the host's software lets a core do before the first instructions of a program and after the
// last ones.
struct Overhead {
  sc_core::sc_time start, end;
};

struct RunResult {
  // From the start of the last queue, for which all others wait, to the interrupt; with the
  // overhead.
  sc_core::sc_time start, end;
  std::array<std::uint64_t, TERN_QUEUE_COUNT> instructions{};  // executed, per queue; modulo 2^32
  double seconds() const { return (end - start).to_seconds(); }
};

// The host's library: allocate, copy, load, execute, wait. It accesses the chip only through its
// host port. All calls except the constructor must run in a SystemC thread, because they take
// simulated time.
class Runtime {
 public:
  // How the host learns of a program's end: the interrupt line, at once; or a message of its core's
  // vector, which crosses the link.
  enum class Completion { kLine, kMessage };
  // Long copies by the chip's DMA engines, or all of them through the BAR: for a chip whose engines
  // are under test.
  enum class Copies { kDma, kBar };
  explicit Runtime(HostPort& port, Completion completion = Completion::kLine,
                   Copies copies = Copies::kDma);

  unsigned cores();
  std::uint64_t free_bytes();

  // Device memory near `core`. UserError if there is not enough.
  Buffer allocate(const std::string& name, std::uint64_t bytes, unsigned core = 0);
  void free(Buffer& buffer) { buffer.reset(); }
  void copy_to_device(const Buffer& buffer, const void* data, std::uint64_t bytes,
                      std::uint64_t offset = 0);
  void copy_from_device(const Buffer& buffer, void* data, std::uint64_t bytes,
                        std::uint64_t offset = 0);
  // By the chip alone.
  void copy_on_device(const Buffer& from, std::uint64_t from_offset, const Buffer& to,
                      std::uint64_t to_offset, std::uint64_t bytes);

  // Binds every tensor of the program to a buffer, by name; writes streams, rings and constants to
  // HBM. first_core: of those that run the program's parts, if it has several.
  struct Binding {
    Binding() = default;
    Binding(std::uint64_t at, std::uint64_t count) : address(at), bytes(count) {}
    Binding(const Buffer* buffer) {  // NOLINT(google-explicit-constructor): {{"a", &buffer}}
      if (buffer != nullptr && *buffer) *this = Binding(buffer->address(), buffer->bytes());
    }
    std::uint64_t address = 0, bytes = 0;
  };
  using Bindings = std::map<std::string, Binding>;
  Program load(Executable executable, const Bindings& bindings, unsigned core = 0,
               unsigned first_core = 0);
  // The same; peers: the windows of the cores that run the parts, on any chip of the system
  // (sw/spec/chip_address.h); tensor_of: the address of a tensor of a part, likewise, if the
  // program names any (Executable::peer_tensors).
  using PeerTensorAddress = std::function<std::uint64_t(unsigned part, const std::string& tensor)>;
  Program load(Executable executable, const Bindings& bindings, unsigned core,
               const std::vector<std::uint64_t>& peers, const PeerTensorAddress& tensor_of = {});
  // Sets up the core's registers and starts its queues.
  void execute(Program& program);
  // Of programs that are executed from now on; without it none.
  void set_overhead(const Overhead& overhead) { overhead_ = overhead; }
  // Waits until the program has ended. RunError:
  // - if it reports an error; names queue, instruction and source line
  // - as soon as its queues wait for each other or for something that cannot happen; a
  //   DeadlockError (status.h) that explains the waits (deadlock.h). With parts on other chips,
  //   which may still send it something, after `limit_seconds`, or when the others rest
  // - if `limit_seconds` of simulated time pass
  RunResult wait(Program& program, double limit_seconds = kDefaultLimit);
  // For programs with parts on other chips: whether nothing can come from there any more.
  void set_others_rest(std::function<bool()> rest) { others_rest_ = std::move(rest); }
  // What the queues of a program wait for, as in the message of a deadlock.
  std::string explain_waits(const Program& program);
  // The program's core reports an error, which wait() throws.
  bool failed(const Program& program);
  RunResult run(Program& program, double limit_seconds = kDefaultLimit);
  // After an error, a deadlock or a time-out: resets the core, on which another program can run
  // then. Memories keep their contents. RunError if the core does not come to rest.
  void reset(unsigned core);

  static constexpr double kDefaultLimit = 10.0;  // seconds of simulated time
  // Copies of this many bytes or more go by DMA; a shorter one has gone through the BAR by the time
  // at which the engines have their descriptors.
  static constexpr std::uint64_t kDmaFrom = 64 * 1024;

 private:
  Program load_at(Executable executable, const Bindings& bindings, const CorePlace& place);
  bool by_dma(std::uint64_t bytes) const { return copies_ == Copies::kDma && bytes >= kDmaFrom; }
  unsigned core_near(const Buffer& buffer);
  void probe();
  static std::uint64_t core_regs(unsigned core);
  static std::uint64_t ring_regs(unsigned core, unsigned engine, unsigned ring);
  void set_up_rings(const Program& program);
  void set_class(const Program& program, unsigned ring);
  void check_answers();
  void set32(std::uint64_t address, std::uint32_t value);
  void set64(std::uint64_t address, std::uint64_t value);
  bool wait_interrupt(unsigned core, const sc_core::sc_time& deadline);
  std::uint32_t queue_status(const Program& program, unsigned queue);
  bool all_halted(const Program& program);
  std::uint32_t peek(std::uint64_t address);
  bool stalled(const Program& program);
  StalledCore look_at(const Program& program);
  // An instruction as it is in device memory.
  tern_instruction_t loaded(const Program& program, unsigned queue, std::size_t index);
  [[noreturn]] void report_error(const Program& program);
  [[noreturn]] void report_deadlock(const Program& program);
  [[noreturn]] void report_timeout(const Program& program, double limit_seconds);

  HostPort& port_;
  std::function<bool()> others_rest_;
  Overhead overhead_;
  const Completion completion_;
  const Copies copies_;
  HostDma dma_;
  unsigned cores_ = 0;
  unsigned cores_per_stack_ = 1;
  std::shared_ptr<HbmAllocator> hbm_;
  std::map<std::pair<unsigned, unsigned>, unsigned> ring_classes_;  // of core and ring, as set
};

}  // namespace tern::runtime
