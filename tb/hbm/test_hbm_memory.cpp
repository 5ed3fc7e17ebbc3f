// SPDX-License-Identifier: Apache-2.0
#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "systemc/chip/simulation.h"
#include "systemc/hbm/hbm_memory.h"
#include "systemc/noc/traffic.h"
#include "systemc/trace/sim_time.h"
#include "tb/common/seed.h"
#include "tb/common/tlm_access.h"

using namespace tern;

namespace {

constexpr std::uint64_t kStackWindow = 0x1000000000;  // docs/reference/address_map.md

hbm::Config small(unsigned stacks) {
  hbm::Config config;
  config.stacks = stacks;
  config.stack_bytes = 1 << 24;
  return config;
}

// A non-blocking initiator that keeps as many requests in flight as permitted, and answers each
// response at once or with an END_RESP later.
struct AtInitiator : sc_core::sc_module, tlm::tlm_mm_interface {
  tlm_utils::simple_initiator_socket<AtInitiator> socket;
  bool late_end = false;
  unsigned accepted_later = 0, early = 0;
  std::vector<std::uint64_t> done_fs;
  std::vector<tlm::tlm_response_status> status;
  Traffic last;  // of the response that came last
  WriteOp op = WriteOp::kStore;

  explicit AtInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_nb_transport_bw(this, &AtInitiator::nb_transport_bw);
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&end_event_);
    sc_core::sc_spawn([this] { end_response(); }, "end", &options);
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    delete payload;
  }
  void send(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, unsigned bytes,
            unsigned traffic_class = 3, sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    while (request_out_) sc_core::wait(request_event_);
    auto* payload = new tlm::tlm_generic_payload(this);
    payload->acquire();
    payload->set_command(command);
    payload->set_address(address);
    payload->set_data_ptr(data);
    payload->set_data_length(bytes);
    payload->set_streaming_width(bytes);
    auto* traffic = new Traffic;
    traffic->traffic_class = traffic_class;
    traffic->op = op;
    payload->set_auto_extension(traffic);
    number_[payload] = done_fs.size();
    done_fs.push_back(0);
    status.push_back(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    request_out_ = true;
    switch (socket->nb_transport_fw(*payload, phase, delay)) {
      case tlm::TLM_UPDATED:
        REQUIRE(phase == tlm::END_REQ);
        request_out_ = false;
        break;
      case tlm::TLM_COMPLETED:
        request_out_ = false;
        finish(*payload);
        break;
      case tlm::TLM_ACCEPTED:
        ++accepted_later;
        break;
    }
  }
  void wait_all() {
    while (!number_.empty()) sc_core::wait(done_event_);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      request_out_ = false;
      request_event_.notify();
      return tlm::TLM_ACCEPTED;
    }
    REQUIRE(phase == tlm::BEGIN_RESP);
    REQUIRE(ending_ == nullptr);  // one response at a time
    if (!late_end) {
      early += delay != sc_core::SC_ZERO_TIME;
      finish(payload, to_fs(delay));
      return tlm::TLM_COMPLETED;
    }
    ending_ = &payload;
    end_event_.notify(sc_core::sc_time(3, sc_core::SC_NS));
    return tlm::TLM_ACCEPTED;
  }
  void end_response() {
    tlm::tlm_generic_payload& payload = *ending_;
    ending_ = nullptr;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, delay);
    finish(payload);
  }
  void finish(tlm::tlm_generic_payload& payload, std::uint64_t delay_fs = 0) {
    const std::size_t number = number_.at(&payload);
    number_.erase(&payload);
    done_fs[number] = now_fs() + delay_fs;
    status[number] = payload.get_response_status();
    last.copy_from(*payload.get_extension<Traffic>());
    payload.release();
    done_event_.notify();
  }

  std::map<tlm::tlm_generic_payload*, std::size_t> number_;
  bool request_out_ = false;
  tlm::tlm_generic_payload* ending_ = nullptr;
  sc_core::sc_event request_event_, done_event_, end_event_;
};

}  // namespace

TEST_CASE("HBM socket: blocking accesses take the library's time and leave no delay") {
  Simulation simulation;
  HbmMemory hbm("hbm", small(2));
  tb::TlmAccess a("a"), b("b");
  a.socket.bind(hbm.sockets[0]);
  b.socket.bind(hbm.sockets[1]);
  std::vector<std::uint8_t> data(3000), back(3000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 7);
  simulation.run([&] {
    const auto written = b.write(kStackWindow + 1000, data.data(), 3000);
    CHECK(written.status == tlm::TLM_OK_RESPONSE);
    CHECK(written.delay == sc_core::SC_ZERO_TIME);
    const std::uint64_t before = now_fs();
    CHECK(b.read(kStackWindow + 1000, back.data(), 3000).status == tlm::TLM_OK_RESPONSE);
    CHECK(now_fs() - before > 50'000'000);
    CHECK(now_fs() - before < 500'000'000);
    CHECK(back == data);
    CHECK(b.fetch(kStackWindow + 1000, 3000) == data);
    a.load(64, data);
    CHECK(a.read(64, back.data(), 3000).status == tlm::TLM_OK_RESPONSE);
    CHECK(back == data);
    // Outside the stack, another stack's address at this socket, lengths.
    CHECK(a.read(1 << 24, back.data(), 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(a.read((1 << 24) - 1, back.data(), 2).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(a.read(kStackWindow, back.data(), 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.read(0, back.data(), 1).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(a.read(0, back.data(), 0).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(a.access(tlm::TLM_IGNORE_COMMAND, 0, back.data(), 4).status ==
          tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(a.debug(tlm::TLM_READ_COMMAND, 1 << 24, back.data(), 1) == 0);
  });
  CHECK(hbm.counters(1).writes == 1);
  CHECK(hbm.counters(1).read_bytes == 3000);
  CHECK(hbm.allocated_bytes() == 2 * SparseMemory::kPageBytes);
}

TEST_CASE("HBM socket: two wrong bits answer with an error and their address") {
  Simulation simulation;
  HbmMemory hbm("hbm", small(1));
  AtInitiator a("a");
  a.socket.bind(hbm.sockets[0]);
  std::vector<std::uint8_t> data(256, 5), back(256);
  simulation.run([&] {
    a.send(tlm::TLM_WRITE_COMMAND, 4096, data.data(), 256);
    a.wait_all();
    hbm.stack(0).flip_bit(4096 + 70, 3);
    a.send(tlm::TLM_READ_COMMAND, 4096, back.data(), 256);
    a.wait_all();
    CHECK(back == data);
    CHECK(a.last.fault == MemoryFault::kNone);
    hbm.stack(0).flip_bit(4096 + 71, 0);
    a.send(tlm::TLM_READ_COMMAND, 4096, back.data(), 256);
    a.wait_all();
    CHECK(a.last.fault == MemoryFault::kUncorrectableEcc);
    CHECK(a.last.fault_address == 4096 + 64);
    a.send(tlm::TLM_READ_COMMAND, 1 << 24, back.data(), 256);
    a.wait_all();
    CHECK(a.last.fault == MemoryFault::kAddress);
    CHECK(a.last.fault_address == 1 << 24);
  });
  CHECK(a.status[3] == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(a.status[1] == tlm::TLM_OK_RESPONSE);
  CHECK(a.status[2] == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(hbm.stack(0).memory().counters().corrected_reads == 1);
  CHECK(hbm.stack(0).memory().counters().uncorrectable == 1);
}

TEST_CASE("HBM socket: an addition in the memory") {
  Simulation simulation;
  HbmMemory hbm("hbm", small(1));
  AtInitiator a("a");
  a.socket.bind(hbm.sockets[0]);
  const std::vector<float> ones(64, 1.0f), quarters(64, 0.25f);
  std::vector<float> back(64);
  const auto bytes = [](const std::vector<float>& v) {
    return reinterpret_cast<std::uint8_t*>(const_cast<float*>(v.data()));
  };
  simulation.run([&] {
    a.send(tlm::TLM_WRITE_COMMAND, 512, bytes(ones), 256);
    a.op = WriteOp::kAddFp32;
    for (unsigned i = 0; i < 4; ++i) a.send(tlm::TLM_WRITE_COMMAND, 512, bytes(quarters), 256);
    a.op = WriteOp::kStore;
    a.send(tlm::TLM_READ_COMMAND, 512, bytes(back), 256);
    a.op = WriteOp::kAddFp32;
    a.send(tlm::TLM_WRITE_COMMAND, 514, bytes(quarters), 256);
    a.wait_all();
  });
  CHECK(back == std::vector<float>(64, 2.0f));
  CHECK(a.status.back() == tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_CASE("HBM socket: non-blocking traffic, back pressure and both ends of a response") {
  std::mt19937_64 random(tb::test_seed());
  Simulation simulation;
  HbmMemory hbm("hbm", small(1));
  AtInitiator a("a");
  a.socket.bind(hbm.sockets[0]);
  std::vector<std::uint8_t> memory(1 << 20);
  std::vector<std::vector<std::uint8_t>> buffers, expected;
  simulation.run([&] {
    for (unsigned round = 0; round < 2; ++round) {
      a.late_end = round == 1;
      for (unsigned i = 0; i < 3000; ++i) {
        const unsigned bytes = 1 + static_cast<unsigned>(random() % 2500);
        const std::uint64_t address = random() % (memory.size() - bytes);
        buffers.emplace_back(bytes);
        const bool write = random() % 2;
        if (write) {
          for (auto& value : buffers.back()) value = static_cast<std::uint8_t>(random());
          std::copy(buffers.back().begin(), buffers.back().end(), memory.begin() + address);
          expected.push_back(buffers.back());
        } else {
          expected.emplace_back(memory.begin() + address, memory.begin() + address + bytes);
        }
        a.send(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
               buffers.back().data(), bytes);
        if (random() % 500 == 0) sc_core::wait(sc_core::sc_time(1, sc_core::SC_US));
      }
      a.wait_all();
    }
    // An annotated delay is waited out first.
    const std::uint64_t before = now_fs();
    std::uint8_t byte;
    a.send(tlm::TLM_READ_COMMAND, 0, &byte, 1, 0, sc_core::sc_time(5, sc_core::SC_US));
    a.wait_all();
    CHECK(a.done_fs.back() > before + 5'000'000'000);
  });
  CHECK(a.accepted_later > 100);
  bool equal = true;
  for (std::size_t i = 0; i < buffers.size(); ++i) equal = equal && buffers[i] == expected[i];
  CHECK(equal);
}

TEST_CASE("HBM socket: early answers have the times of answers in time") {
  std::mt19937_64 random(tb::test_seed());
  Simulation simulation;
  HbmMemory plain("plain", small(1)), early("early", small(1), HbmMemory::Answers::kEarly);
  AtInitiator a("a"), b("b");
  a.socket.bind(plain.sockets[0]);
  b.socket.bind(early.sockets[0]);
  std::deque<std::vector<std::uint8_t>> buffers;
  simulation.run([&] {
    for (unsigned i = 0; i < 4000; ++i) {
      const unsigned bytes = 64u << random() % 6;
      // All pseudo-channels, or a few whose queues fill up.
      const std::uint64_t range = i / 500 % 2 == 0 ? 1 << 20 : 1 << 10;
      const std::uint64_t address = random() % range / 64 * 64 + (random() % 8 == 0 ? 7 : 0);
      const bool write = random() % 3 == 0;
      const auto traffic_class = static_cast<unsigned>(random() % kTrafficClasses);
      std::vector<std::uint8_t> data(bytes);
      for (auto& value : data) value = static_cast<std::uint8_t>(random());
      for (AtInitiator* initiator : {&a, &b}) {
        buffers.push_back(data);
        initiator->send(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address,
                        buffers.back().data(), bytes, traffic_class);
      }
      // Bursts beyond the queues, lone requests, rests.
      if (random() % 100 == 0) sc_core::wait(static_cast<double>(random() % 200), sc_core::SC_NS);
      if (random() % 500 == 0) sc_core::wait(20, sc_core::SC_US);
    }
    a.wait_all();
    b.wait_all();
  });
  CHECK(a.early == 0);
  CHECK(b.early > 3000);
  CHECK(a.accepted_later > 100);
  CHECK(a.accepted_later == b.accepted_later);
  CHECK(a.done_fs == b.done_fs);
  CHECK(a.status == b.status);
  for (std::size_t i = 0; i < buffers.size(); i += 2) {
    if (buffers[i] != buffers[i + 1]) FAIL("the bytes of access " << i / 2 << " differ");
  }
}
