// SPDX-License-Identifier: Apache-2.0
#include "systemc/hbm/hbm_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sw/spec/generated/address_map.h"
#include "systemc/noc/traffic.h"
#include "systemc/trace/sim_time.h"

namespace tern {

struct HbmMemory::Transfer {
  tlm::tlm_generic_payload* transaction = nullptr;
  hbm::Request request;
  std::uint64_t arrival_fs = 0, done_fs = 0;
  sc_core::sc_event* done = nullptr;  // of a blocking caller; otherwise a non-blocking one
};

// A stack and the transactions in transit to and from it.
struct HbmMemory::Port {
  Port(const hbm::Config& config, unsigned index, const std::shared_ptr<NearMemory>& adders)
      : stack(config, index, adders), index(index) {}

  hbm::Stack stack;
  unsigned index;
  bool ready = true;
  StackCounters counters;
  sc_core::sc_event wake;
  // Transactions with an annotated delay, then those for which the queues have no room.
  std::deque<std::uint32_t> coming;
  std::array<std::deque<std::uint32_t>, kTrafficClasses> stalled;
  unsigned stalled_count = 0;
  std::deque<std::uint32_t> responses;  // completed; the first may be with the initiator
  bool response_out = false;
  std::vector<Transfer> transfers;
  std::vector<std::uint32_t> free;
  bool serving = false;

  std::uint32_t take() {
    if (free.empty()) {
      transfers.emplace_back();
      return static_cast<std::uint32_t>(transfers.size() - 1);
    }
    const std::uint32_t index_of_free = free.back();
    free.pop_back();
    return index_of_free;
  }
};

HbmMemory::HbmMemory(sc_core::sc_module_name name, const hbm::Config& config, Answers answers,
                     const std::shared_ptr<NearMemory>& adders)
    : sc_module(name),
      sockets("stack", config.stacks),
      by_class_(config.by_class),
      early_(answers == Answers::kEarly) {
  for (unsigned i = 0; i < config.stacks; ++i) {
    ports_.push_back(std::make_unique<Port>(config, i, adders));
    Port* port = ports_.back().get();
    const int tag = static_cast<int>(i);
    sockets[i].register_nb_transport_fw(this, &HbmMemory::nb_transport_fw, tag);
    sockets[i].register_b_transport(this, &HbmMemory::b_transport, tag);
    sockets[i].register_transport_dbg(this, &HbmMemory::transport_dbg, tag);
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&port->wake);
    options.dont_initialize();
    sc_core::sc_spawn([this, port] { serve(*port); }, sc_core::sc_gen_unique_name("serve"),
                      &options);
  }
}

HbmMemory::~HbmMemory() = default;

const HbmMemory::StackCounters& HbmMemory::counters(unsigned stack) const {
  return ports_.at(stack)->counters;
}
hbm::Stack& HbmMemory::stack(unsigned stack) {
  return ports_.at(stack)->stack;
}
const hbm::Stack& HbmMemory::stack(unsigned stack) const {
  return ports_.at(stack)->stack;
}
std::uint64_t HbmMemory::allocated_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& port : ports_) sum += port->stack.memory().bytes().allocated_bytes();
  return sum;
}

std::optional<unsigned> HbmMemory::busy_stack() {
  for (const auto& port : ports_) {
    if (port->free.size() != port->transfers.size() || !port->stack.rests(now_fs()))
      return port->index;
  }
  return std::nullopt;
}

void HbmMemory::archive_state(base::StateArchive& archive) {
  for (const auto& port : ports_) {
    archive.section(fmt::format("hbm{}", port->index));
    archive.number(port->ready);
    StackCounters& counters = port->counters;
    archive.numbers(counters.reads, counters.writes, counters.read_bytes, counters.write_bytes);
    port->stack.archive_state(archive, now_fs());
  }
}

void HbmMemory::set_ready(unsigned stack, bool ready) {
  ports_.at(stack)->ready = ready;
}
bool HbmMemory::ready(unsigned stack) const {
  return ports_.at(stack)->ready;
}
void HbmMemory::observe_ecc(const EccObserver& observer) {
  for (const auto& port : ports_) {
    port->stack.memory().observe(
        [observer, stack = port->index](std::uint64_t offset, bool corrected) {
          observer(stack, offset, corrected);
        });
  }
}

void HbmMemory::trace_to(trace::Bus* bus) {
  for (const auto& port : ports_) {
    const hbm::Timing& timing = port->stack.timing();
    for (unsigned pc = 0; pc < port->stack.config().pseudo_channels_per_stack(); ++pc) {
      const trace::TrackId track =
          bus->add_track(fmt::format("hbm{}", port->index), fmt::format("pc{}", pc));
      port->stack.observe(pc, [bus, track, &timing](const hbm::Command& command) {
        const std::string_view on = command.on_row_bus() ? "row" : "column";
        bus->state(track, on, timing.clock.fs(command.tick), command.text());
        bus->state(track, on, timing.clock.fs(command.tick + 1), std::string_view());
      });
    }
  }
}

bool HbmMemory::decode(const Port& port, tlm::tlm_generic_payload& transaction,
                       hbm::Request* request) const {
  Traffic* traffic = transaction.get_extension<Traffic>();
  const auto refuse = [&](MemoryFault fault, tlm::tlm_response_status status) {
    if (traffic != nullptr) {
      traffic->fault = fault;
      traffic->fault_address = transaction.get_address();
    }
    transaction.set_response_status(status);
    return false;
  };
  const std::uint64_t base = TERN_HBM_BASE + port.index * TERN_HBM_STRIDE;
  if (!port.ready) return refuse(MemoryFault::kAddress, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND)
    return refuse(MemoryFault::kAccess, tlm::TLM_COMMAND_ERROR_RESPONSE);
  if (transaction.get_byte_enable_ptr() != nullptr)
    return refuse(MemoryFault::kAccess, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  if (transaction.get_streaming_width() < transaction.get_data_length())
    return refuse(MemoryFault::kAccess, tlm::TLM_BURST_ERROR_RESPONSE);
  request->write = transaction.is_write();
  // An address below the window becomes one far above it.
  request->offset = transaction.get_address() - base;
  request->bytes = transaction.get_data_length();
  request->data = transaction.get_data_ptr();
  request->traffic_class = kTrafficClasses - 1;
  if (!by_class_) {
    request->traffic_class = 0;
  } else if (traffic != nullptr) {
    request->traffic_class = traffic->traffic_class;
  }
  request->op = traffic != nullptr ? traffic->op : WriteOp::kStore;
  const MemoryFault fault = port.stack.check(*request);
  if (fault == MemoryFault::kAddress) return refuse(fault, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (fault != MemoryFault::kNone) return refuse(fault, tlm::TLM_BURST_ERROR_RESPONSE);
  return true;
}

tlm::tlm_sync_enum HbmMemory::nb_transport_fw(int index, tlm::tlm_generic_payload& transaction,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Port& port = *ports_[static_cast<unsigned>(index)];
  if (phase == tlm::END_RESP) {
    finish_response(port);
    if (!port.responses.empty()) port.wake.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  if (phase != tlm::BEGIN_REQ) SC_REPORT_FATAL(name(), "phase other than BEGIN_REQ or END_RESP");
  hbm::Request request;
  if (!decode(port, transaction, &request)) {
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_COMPLETED;
  }
  if (transaction.has_mm()) transaction.acquire();
  const std::uint32_t slot = port.take();
  request.id = slot;
  port.transfers[slot] = {&transaction, request, now_fs() + to_fs(delay), 0, nullptr};
  const std::uint64_t now = now_fs();
  auto& queue = port.stalled[request.traffic_class];
  if (delay == sc_core::SC_ZERO_TIME && queue.empty() && port.stack.accepts(now, request)) {
    port.stack.submit(now, request);
    if (early_) {
      collect(port);
      respond(port);
    }
    wake_at_next(port);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (delay == sc_core::SC_ZERO_TIME) {
    queue.push_back(slot);
    ++port.stalled_count;
    wake_at_next(port);
  } else {
    port.coming.push_back(slot);
    port.wake.notify(delay);
  }
  return tlm::TLM_ACCEPTED;
}

void HbmMemory::b_transport(int index, tlm::tlm_generic_payload& transaction,
                            sc_core::sc_time& delay) {
  Port& port = *ports_[static_cast<unsigned>(index)];
  hbm::Request request;
  if (!decode(port, transaction, &request)) return;
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const std::uint32_t slot = port.take();
  request.id = slot;
  sc_core::sc_event done;
  port.transfers[slot] = {&transaction, request, now_fs(), 0, &done};
  port.stalled[request.traffic_class].push_back(slot);
  ++port.stalled_count;
  serve(port);
  sc_core::wait(done);
}

unsigned HbmMemory::transport_dbg(int index, tlm::tlm_generic_payload& transaction) {
  Port& port = *ports_[static_cast<unsigned>(index)];
  const std::uint64_t offset =
      transaction.get_address() - TERN_HBM_BASE - port.index * TERN_HBM_STRIDE;
  const unsigned bytes = transaction.get_data_length();
  if (!port.stack.memory().bytes().contains(offset, bytes)) return 0;
  if (transaction.is_read()) {
    port.stack.read_now(offset, transaction.get_data_ptr(), bytes);
  } else if (transaction.is_write()) {
    port.stack.write_now(offset, transaction.get_data_ptr(), bytes);
  } else {
    return 0;
  }
  return bytes;
}

// Everything that is due now: arrivals, room in the queues, completions, responses.
void HbmMemory::serve(Port& port) {
  const std::uint64_t now = now_fs();
  for (auto i = port.coming.begin(); i != port.coming.end();) {
    if (port.transfers[*i].arrival_fs > now) {
      ++i;
      continue;
    }
    port.stalled[port.transfers[*i].request.traffic_class].push_back(*i);
    ++port.stalled_count;
    i = port.coming.erase(i);
  }
  collect(port);
  for (auto& queue : port.stalled) {
    while (!queue.empty() && port.stack.accepts(now, port.transfers[queue.front()].request)) {
      const std::uint32_t slot = queue.front();
      queue.pop_front();
      --port.stalled_count;
      // A copy: the initiator may call back and the table may grow.
      const Transfer transfer = port.transfers[slot];
      port.stack.submit(now, transfer.request);
      if (transfer.done != nullptr) continue;
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      sockets[port.index]->nb_transport_bw(*transfer.transaction, phase, delay);
    }
  }
  if (early_) collect(port);
  respond(port);
  wake_at_next(port);
}

// The completions that are due, or certain.
void HbmMemory::collect(Port& port) {
  const auto note = [this, &port](const hbm::Completion& completion) {
    complete(port, completion);
  };
  if (early_) {
    port.stack.advance_ahead(now_fs(), note);
  } else {
    port.stack.advance(now_fs(), note);
  }
}

void HbmMemory::complete(Port& port, const hbm::Completion& completion) {
  Transfer& transfer = port.transfers[completion.id];
  tlm::tlm_generic_payload& transaction = *transfer.transaction;
  if (completion.fault == MemoryFault::kNone) {
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  } else {
    transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    if (Traffic* traffic = transaction.get_extension<Traffic>()) {
      traffic->fault = completion.fault;
      traffic->fault_address =
          TERN_HBM_BASE + port.index * TERN_HBM_STRIDE + completion.fault_offset;
    }
  }
  StackCounters& counters = port.counters;
  ++(transfer.request.write ? counters.writes : counters.reads);
  (transfer.request.write ? counters.write_bytes : counters.read_bytes) += transfer.request.bytes;
  transfer.done_fs = completion.time_fs;
  if (transfer.done != nullptr) {
    transfer.done->notify(from_fs(completion.time_fs - now_fs()));
    port.free.push_back(static_cast<std::uint32_t>(completion.id));
  } else {
    port.responses.push_back(static_cast<std::uint32_t>(completion.id));
  }
}

// One response at a time is with the initiator, until its END_RESP.
void HbmMemory::respond(Port& port) {
  while (!port.responses.empty() && !port.response_out) {
    const Transfer& transfer = port.transfers[port.responses.front()];
    tlm::tlm_generic_payload& transaction = *transfer.transaction;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    const std::uint64_t now = now_fs();
    sc_core::sc_time delay;
    if (transfer.done_fs > now) delay = from_fs(transfer.done_fs - now);
    port.response_out = true;
    const tlm::tlm_sync_enum status =
        sockets[port.index]->nb_transport_bw(transaction, phase, delay);
    if (status == tlm::TLM_COMPLETED || phase == tlm::END_RESP) finish_response(port);
  }
}

void HbmMemory::finish_response(Port& port) {
  const std::uint32_t slot = port.responses.front();
  port.responses.pop_front();
  port.response_out = false;
  port.free.push_back(slot);
  tlm::tlm_generic_payload& transaction = *port.transfers[slot].transaction;
  if (transaction.has_mm()) transaction.release();
}

void HbmMemory::wake_at_next(Port& port) {
  const std::uint64_t next = port.stack.next_event_fs(port.stalled_count != 0);
  if (next == ~std::uint64_t{0}) return;
  const std::uint64_t now = now_fs();
  // An event keeps the earliest of its notifications.
  port.wake.notify(from_fs(next > now ? next - now : 0));
}

}  // namespace tern
