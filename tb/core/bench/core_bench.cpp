// SPDX-License-Identifier: Apache-2.0
#include "tb/core/bench/core_bench.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <utility>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::tb {

namespace {

DmaConfig test_dma_config() {
  DmaConfig config;
  config.efficiency = 0.86;
  config.doorbell_latency_ns = 1200;
  return config;
}

}  // namespace

CoreConfig test_core_config() {
  CoreConfig config;
  config.tensor_clock_ghz = 2.0;
  config.vector = config.scalar = config.gpsimd = config.sync = EngineConfig{1.0, 64, 100, 0};
  config.vector.exp_per_cycle = 4;
  config.gpsimd_programs = {150, 3, 8, 1'000'000};
  config.sbuf_partition_bytes = 256 * 1024;
  config.fetch_latency_ns = 100;
  return config;
}

const char* bench_name() {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return "bench";
}

CoreBench::CoreBench(const CoreConfig& config, const CoreOptions& options, trace::Bus* bus,
                     sc_core::sc_module_name name)
    : sc_module(name),
      core("core", config, test_dma_config(), Backend::kModel, options, 0, bus),
      irq("irq"),
      memory(kMemoryBytes),
      host_port_("host_port"),
      memory_port_("memory_port") {
  host_port_.bind(core.window);
  core.irq.bind(irq);
  for (auto* initiator : core.initiators()) initiator->bind(memory_port_);
  memory_port_.register_b_transport(this, &CoreBench::memory_transport);
  memory_port_.register_nb_transport_fw(this, &CoreBench::memory_request);
  SC_METHOD(memory_answers);
  sensitive << answers_.get_event();
  dont_initialize();
  SC_THREAD(host);
  set_stack_size(1 << 20);
}

void CoreBench::run(CoreBench& bench, std::function<void()> body) {
  bench.body_.run(std::move(body));
}

void CoreBench::memory_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (address + payload.get_data_length() > memory.size()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  std::uint8_t* bytes = memory.data() + address;
  const bool write = payload.is_write();
  std::memcpy(write ? bytes : payload.get_data_ptr(), write ? payload.get_data_ptr() : bytes,
              payload.get_data_length());
  delay += sc_core::sc_time(kMemoryDelayNs, sc_core::SC_NS);
  ++fetches;
  last_fetch_bytes = payload.get_data_length();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

// The bytes move when the request comes, the answer comes after the delay.
tlm::tlm_sync_enum CoreBench::memory_request(int port, tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
  memory_transport(port, payload, delay);
  asked_by_[&payload] = port;
  answers_.notify(payload, delay);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void CoreBench::memory_answers() {
  while (tlm::tlm_generic_payload* payload = answers_.get_next_transaction()) {
    const int port = asked_by_.at(payload);
    asked_by_.erase(payload);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    memory_port_[port]->nb_transport_bw(*payload, phase, delay);
  }
}

tlm::tlm_response_status CoreBench::access(bool write, std::uint64_t offset, void* data,
                                           unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time delay;
  host_port_->b_transport(payload, delay);
  return payload.get_response_status();
}

std::uint32_t CoreBench::read_register(std::uint32_t reg) {
  std::uint32_t value = 0;
  REQUIRE(access(false, TERN_CORE_REGS_BASE + reg, &value, 4) == tlm::TLM_OK_RESPONSE);
  return value;
}

bool CoreBench::write_register(std::uint32_t reg, std::uint32_t value) {
  return access(true, TERN_CORE_REGS_BASE + reg, &value, 4) == tlm::TLM_OK_RESPONSE;
}

std::uint32_t CoreBench::semaphore(unsigned index) {
  return read_register(TERN_REG_CORE_SEMAPHORE_READ + 4 * index);
}

void CoreBench::set_semaphore(unsigned index, std::uint32_t value) {
  REQUIRE(write_register(TERN_REG_CORE_SEMAPHORE_SET + 4 * index, value));
}

std::uint64_t CoreBench::sbuf_offset(unsigned partition, std::uint32_t byte) {
  return TERN_CORE_SBUF_BASE + partition * TERN_CORE_SBUF_STRIDE + byte;
}

void CoreBench::poke_psum(unsigned partition, unsigned column, std::vector<float> values) {
  const std::uint64_t offset = TERN_CORE_PSUM_BASE + partition * TERN_CORE_PSUM_STRIDE + 4 * column;
  REQUIRE(access(true, offset, values.data(), static_cast<unsigned>(4 * values.size())) ==
          tlm::TLM_OK_RESPONSE);
}

std::vector<float> CoreBench::peek_psum(unsigned partition, unsigned column, std::size_t count) {
  std::vector<float> values(count);
  const std::uint64_t offset = TERN_CORE_PSUM_BASE + partition * TERN_CORE_PSUM_STRIDE + 4 * column;
  REQUIRE(access(false, offset, values.data(), static_cast<unsigned>(4 * count)) ==
          tlm::TLM_OK_RESPONSE);
  return values;
}

void CoreBench::start(unsigned queue, const Program& program) {
  const std::uint64_t base = 0x40000 + queue * 0x40000;
  std::copy(program.begin(), program.end(), reinterpret_cast<tern_instruction_t*>(&memory[base]));
  const std::uint32_t offset = queue * TERN_REG_CORE_QUEUE_BASE_STRIDE;
  REQUIRE(write_register(TERN_REG_CORE_QUEUE_BASE + offset, static_cast<std::uint32_t>(base)));
  REQUIRE(write_register(TERN_REG_CORE_QUEUE_BASE + 4 + offset, 0));
  REQUIRE(write_register(TERN_REG_CORE_QUEUE_LENGTH + offset,
                         static_cast<std::uint32_t>(program.size())));
  REQUIRE(write_register(TERN_REG_CORE_QUEUE_START + offset, 1));
}

std::uint32_t CoreBench::finish() {
  wait(sc_core::sc_time(1, sc_core::SC_NS));
  if (!irq.read()) wait(sc_core::sc_time(10, sc_core::SC_MS), irq.posedge_event());
  INFO(core.describe_stall());
  REQUIRE(irq.read());
  const std::uint32_t code = read_register(TERN_REG_CORE_ERROR_CODE);
  return code;
}

void CoreBench::execute(unsigned queue, Program program) {
  program.push_back(tb::halt());
  start(queue, program);
  const std::uint32_t code = finish();
  INFO("error detail " << read_register(TERN_REG_CORE_ERROR_DETAIL) << " at instruction "
                       << read_register(TERN_REG_CORE_ERROR_INDEX));
  REQUIRE(code == TERN_ERROR_NONE);
  REQUIRE(write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
  wait(sc_core::sc_time(1, sc_core::SC_NS));
  REQUIRE_FALSE(irq.read());
}

std::uint32_t CoreBench::fails(unsigned queue, const Program& program, unsigned code,
                               unsigned index) {
  start(queue, program);
  REQUIRE(finish() == code);
  CHECK(read_register(TERN_REG_CORE_ERROR_QUEUE) == queue);
  CHECK(read_register(TERN_REG_CORE_ERROR_INDEX) == index);
  CHECK((read_register(TERN_REG_CORE_CORE_STATUS) & 4) != 0);
  CHECK(read_register(TERN_REG_CORE_QUEUE_STATUS + queue * TERN_REG_CORE_QUEUE_STATUS_STRIDE) == 3);
  const std::uint32_t detail = read_register(TERN_REG_CORE_ERROR_DETAIL);
  wait(sc_core::sc_time(2, sc_core::SC_US));  // accesses in flight end
  REQUIRE(write_register(TERN_REG_CORE_IRQ_CLEAR, 1));
  wait(sc_core::sc_time(1, sc_core::SC_NS));
  REQUIRE_FALSE(irq.read());
  return detail;
}

sc_core::sc_time CoreBench::when(unsigned index, std::uint32_t value) {
  // All clocks of the bench tick on multiples of 500 ps: look between two ticks.
  const sc_core::sc_time tick(500, sc_core::SC_PS), half(250, sc_core::SC_PS);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t phase = sc_core::sc_time_stamp().value() % tick.value();
    const std::uint64_t target = half.value() + (phase > half.value() || i > 0 ? tick.value() : 0);
    if (target != phase) wait(sc_core::sc_time::from_value(target - phase));
    if (semaphore(index) == value) return sc_core::sc_time_stamp() - half;
  }
  FAIL("semaphore " << index << " is " << semaphore(index) << ", never " << value << "\n"
                    << core.describe_stall());
  return {};
}

}  // namespace tern::tb
