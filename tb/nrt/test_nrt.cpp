// SPDX-License-Identifier: Apache-2.0
// The C runtime as its users call it: only its headers, and program files.
#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tb/nrt/nrt_bench.h"

namespace tern::tb {

TEST_CASE("nothing works before nrt_init and after nrt_close, and it opens again") {
  nrt_tensor_t* t = nullptr;
  CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 4, "t", &t) == NRT_UNINITIALIZED);
  CHECK(std::string(tern_last_error()) == "before nrt_init()");
  std::uint32_t count = 0;
  setenv("NEURON_LOGICAL_NC_CONFIG", "1", 1);
  CHECK(nrt_get_total_vnc_count(&count) == NRT_SUCCESS);
  CHECK(count == 8);
  {
    Open open;
    CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_INVALID);  // open already
    t = tensor(64);
  }
  CHECK(nrt_tensor_get_size(t) == 0);
  CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 4, "t", &t) == NRT_CLOSED);
  Open again;
  Twice twice;
  REQUIRE(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
  CHECK(twice.good());
}

TEST_CASE("a program runs: its tensors, its results, its time") {
  Open open;
  Twice twice;
  nrt_tensor_info_array_t* info = nullptr;
  REQUIRE(nrt_get_model_tensor_info(twice.model, &info) == NRT_SUCCESS);
  REQUIRE(info->tensor_count == 2);
  CHECK(std::string(info->tensor_array[0].name) == "x");
  CHECK(info->tensor_array[0].usage == NRT_TENSOR_USAGE_INPUT);
  CHECK(info->tensor_array[1].usage == NRT_TENSOR_USAGE_OUTPUT);
  CHECK(info->tensor_array[1].dtype == NRT_DTYPE_FLOAT32);
  CHECK(info->tensor_array[1].size == 128 * 64 * 4);
  REQUIRE(info->tensor_array[1].ndim == 2);
  CHECK(info->tensor_array[1].shape[1] == 64);
  CHECK(nrt_free_model_tensor_info(info) == NRT_SUCCESS);

  CHECK(tern_model_time_ns(twice.model) == 0);
  REQUIRE(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
  CHECK(twice.good());
  const std::uint64_t first = tern_model_time_ns(twice.model);
  CHECK(first > 3000);
  CHECK(first < 20000);
  REQUIRE(nrt_execute_repeat(twice.model, twice.in.set, twice.out.set, 3) == NRT_SUCCESS);
  CHECK(nrt_tensor_check_output_completion(twice.y, 0, 4) == NRT_SUCCESS);
  CHECK(nrt_tensor_check_output_completion(twice.y, 100, 5) == NRT_TIMEOUT);
  CHECK(nrt_tensor_check_output_completion(twice.y, -1, 5) == NRT_TIMEOUT);
  CHECK(nrt_tensor_reset_output_completion(twice.y) == NRT_SUCCESS);
  CHECK(nrt_tensor_check_output_completion(twice.y, 0, 1) == NRT_TIMEOUT);
}

TEST_CASE("tensors: parts, copies, memory of the host, buffers of the caller") {
  Open open;
  nrt_tensor_t* device = tensor(1000000);
  std::vector<std::uint8_t> bytes(1000000), back(1000000);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  REQUIRE(nrt_tensor_write(device, bytes.data(), 0, bytes.size()) == NRT_SUCCESS);
  nrt_tensor_t* slice = nullptr;
  REQUIRE(nrt_tensor_allocate_slice(device, 1000, 500000, "slice", &slice) == NRT_SUCCESS);
  CHECK(nrt_tensor_get_size(slice) == 500000);
  REQUIRE(nrt_tensor_read(slice, back.data(), 10, 499990) == NRT_SUCCESS);
  CHECK(std::equal(back.begin(), back.begin() + 499990, bytes.begin() + 1010));
  CHECK(nrt_tensor_read(slice, back.data(), 10, 499991) == NRT_INVALID);
  CHECK(std::string(tern_last_error()) == "tensor 'slice': bytes 10 to 500001: it has 500000");
  CHECK(nrt_tensor_read(slice, back.data(), SIZE_MAX, 2) == NRT_INVALID);

  nrt_tensor_device_allocation_info_t place{}, slice_place{};
  REQUIRE(nrt_tensor_get_device_allocation_info(device, &place) == NRT_SUCCESS);
  REQUIRE(nrt_tensor_get_device_allocation_info(slice, &slice_place) == NRT_SUCCESS);
  CHECK(slice_place.physical_address == place.physical_address + 1000);
  CHECK(place.hbm_index == 0);

  nrt_tensor_t* host = tensor(4096, -1, NRT_TENSOR_PLACEMENT_HOST);
  REQUIRE(nrt_tensor_memset(device, 100, 0xAB, 300000) == NRT_SUCCESS);
  REQUIRE(nrt_tensor_copy(device, 90, host, 0, 4096) == NRT_SUCCESS);
  const auto* here = static_cast<const std::uint8_t*>(nrt_tensor_get_va(host));
  REQUIRE(here != nullptr);
  CHECK(here[9] == bytes[99]);
  CHECK(std::all_of(here + 10, here + 4096, [](int b) { return b == 0xAB; }));
  CHECK(nrt_tensor_get_va(device) == nullptr);

  nrt_tensor_t* other = tensor(1000000, 5);  // near another stack
  REQUIRE(nrt_tensor_copy(slice, 0, other, 12345, 400000) == NRT_SUCCESS);
  REQUIRE(nrt_tensor_read(other, back.data(), 12345, 400000) == NRT_SUCCESS);
  CHECK(std::all_of(back.begin(), back.begin() + 299100, [](int b) { return b == 0xAB; }));
  CHECK(std::equal(back.begin() + 299100, back.begin() + 400000, bytes.begin() + 300100));
  CHECK(nrt_tensor_copy(device, 0, slice, 0, 2000) == NRT_INVALID);  // onto itself

  nrt_tensor_t* empty = nullptr;
  REQUIRE(nrt_tensor_allocate_empty("empty", &empty) == NRT_SUCCESS);
  CHECK(nrt_tensor_read(empty, back.data(), 0, 1) == NRT_INVALID);
  std::vector<std::uint8_t> mine(64);
  REQUIRE(nrt_tensor_attach_buffer(empty, mine.data(), mine.size()) == NRT_SUCCESS);
  REQUIRE(nrt_tensor_copy(device, 0, empty, 0, 64) == NRT_SUCCESS);
  CHECK(std::equal(mine.begin(), mine.end(), bytes.begin()));

  nrt_vnc_memory_stats_t stats{};
  std::size_t size = 0;
  REQUIRE(nrt_get_vnc_memory_stats(0, &stats, sizeof stats, &size) == NRT_SUCCESS);
  const std::size_t used = stats.bytes_used;
  CHECK(used >= 2000000);
  nrt_tensor_free(&device);  // the slice keeps its bytes
  REQUIRE(nrt_tensor_read(slice, back.data(), 400000, 10) == NRT_SUCCESS);
  CHECK(back[0] == bytes[401000]);
  nrt_tensor_free(&slice);
  REQUIRE(nrt_get_vnc_memory_stats(0, &stats, sizeof stats, &size) == NRT_SUCCESS);
  CHECK(stats.bytes_used < used - 900000);
}

TEST_CASE("a program works on memory of the host, over PCIe") {
  Open open;
  Twice device, host(1, 0, 64, NRT_TENSOR_PLACEMENT_HOST);
  REQUIRE(nrt_execute(device.model, device.in.set, device.out.set) == NRT_SUCCESS);
  REQUIRE(nrt_execute(host.model, host.in.set, host.out.set) == NRT_SUCCESS);
  CHECK(host.good());
  // The bytes cross the link instead of HBM's pins, both ways; nothing else is longer.
  CHECK(tern_model_time_ns(host.model) > tern_model_time_ns(device.model) + 1600);
}

TEST_CASE("logical cores of two run the parts of a program together") {
  Open open("2");
  std::uint32_t count = 0;
  REQUIRE(nrt_get_visible_vnc_count(&count) == NRT_SUCCESS);
  CHECK(count == 4);
  Twice first_core(2, 0), last_core(2, 3), alone(1, 1);
  for (Twice* twice : {&first_core, &last_core, &alone}) {
    REQUIRE(nrt_execute(twice->model, twice->in.set, twice->out.set) == NRT_SUCCESS);
    CHECK(twice->good());
  }
  nrt_model_t* model = nullptr;
  const std::string eight = twice_file(8);
  CHECK(nrt_load(eight.data(), eight.size(), 0, -1, &model) == NRT_LOAD_NOT_ENOUGH_NC);
  CHECK(std::string(tern_last_error()) ==
        "program 'twice' is for logical cores of 8, these are of 2");
  // A process has the chips of its first nrt_init().
  nrt_close();
  setenv("NEURON_LOGICAL_NC_CONFIG", "8", 1);
  CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_INVALID);
}

TEST_CASE("a logical core of eight") {
  Open open("8");
  Twice twice(8);
  REQUIRE(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
  CHECK(twice.good());
}

TEST_CASE("requests of two cores overlap, those of one follow each other") {
  Open open;
  Twice a(1, 0, 4096), b(1, 4, 4096);
  const auto run = [&](std::vector<Twice*> which) {
    const std::uint64_t begin = tern_time_ns();
    std::vector<nrta_seq_t> sequences(which.size());
    std::vector<NRT_STATUS> status(which.size(), NRT_FAILURE);
    for (std::size_t n = 0; n < which.size(); ++n) {
      REQUIRE(nrta_execute_schedule(which[n]->model, which[n]->in.set, which[n]->out.set, 0,
                                    &status[n], &sequences[n]) == NRT_SUCCESS);
    }
    for (std::size_t n = 0; n < which.size(); ++n) {
      bool done = false;
      while (!done) REQUIRE(nrta_is_completed(sequences[n], &done) == NRT_SUCCESS);
      CHECK(status[n] == NRT_SUCCESS);
    }
    const std::uint64_t took = tern_time_ns() - begin;
    for (const Twice* one : which) CHECK(one->good());
    return took;
  };
  run({&a});  // also loads it
  run({&b});
  const std::uint64_t one = run({&a}), both = run({&a, &b}), twice = run({&a, &a});
  CAPTURE(one, both, twice);
  CHECK(both < one * 3 / 2);
  CHECK(twice > one * 3 / 2);
  nrta_seq_t newest = 0;
  REQUIRE(nrta_get_sequence(0, NRTA_XU_COMPUTE, 0, &newest) == NRT_SUCCESS);
  CHECK((newest & NRTA_SEQ_NUM_MAX) == 5);
  bool done = false;
  CHECK(nrta_is_completed(newest + 1, &done) == NRT_INVALID);
}

TEST_CASE("a request waits for those before it that touch the same bytes") {
  Open open("1", {{"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "8"}});
  Twice twice;
  std::vector<float> other(twice.count, 21), result(twice.count), late(twice.count);
  NRT_STATUS status[4];
  nrta_seq_t sequence[4];
  const std::size_t bytes = twice.count * 4;
  // On four different units.
  REQUIRE(nrta_tensor_write(twice.x, other.data(), 0, bytes, 0, &status[0], &sequence[0]) ==
          NRT_SUCCESS);
  REQUIRE(nrta_execute_schedule(twice.model, twice.in.set, twice.out.set, 0, &status[1],
                                &sequence[1]) == NRT_SUCCESS);
  REQUIRE(nrta_tensor_read(result.data(), twice.y, 0, bytes, 0, &status[2], &sequence[2]) ==
          NRT_SUCCESS);
  REQUIRE(nrta_tensor_copy(twice.x, 0, twice.y, 0, bytes, 0, &status[3], &sequence[3]) ==
          NRT_SUCCESS);
  REQUIRE(nrt_tensor_read(twice.y, late.data(), 0, bytes) == NRT_SUCCESS);  // waits for all of it
  for (const NRT_STATUS one : status) CHECK(one == NRT_SUCCESS);
  CHECK(std::all_of(result.begin(), result.end(), [](float v) { return v == 42; }));
  CHECK(std::all_of(late.begin(), late.end(), [](float v) { return v == 21; }));

  NRT_STATUS last = NRT_SUCCESS;
  unsigned scheduled = 0;
  while (last == NRT_SUCCESS && scheduled < 1000) {
    last = nrta_execute_schedule(twice.model, twice.in.set, twice.out.set, 0, nullptr, nullptr);
    ++scheduled;
  }
  CHECK(last == NRT_QUEUE_FULL);
  CHECK(scheduled > 8);
}

TEST_CASE("several threads, each with its core") {
  Open open;
  std::vector<std::thread> threads;
  std::array<bool, 8> good{};
  std::array<std::string, 8> why;
  for (int vnc = 0; vnc < 8; ++vnc) {
    threads.emplace_back([vnc, &good, &why] {
      const auto place = static_cast<std::size_t>(vnc);
      try {
        Twice twice(1, vnc);
        must(nrt_barrier(vnc, static_cast<std::uint32_t>(vnc), 8), "nrt_barrier");
        for (int n = 0; n < 5; ++n)
          must(nrt_execute(twice.model, twice.in.set, twice.out.set), "nrt_execute");
        must(nrt_barrier(vnc, static_cast<std::uint32_t>(vnc), 8), "nrt_barrier");
        good[place] = twice.good();
      } catch (const std::runtime_error& error) {
        why[place] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t vnc = 0; vnc < good.size(); ++vnc) {
    INFO("core " << vnc << ": " << why[vnc]);
    CHECK(good[vnc]);
  }
}

TEST_CASE("failures have their status, and the next program runs") {
  Open open("1", {{"NEURON_RT_EXEC_TIMEOUT", "0.01"}});
  Twice twice;
  Set none, none_out;
  struct Case {
    std::string file;
    NRT_STATUS status;
    const char* says;
  };
  for (const Case& c :
       {Case{stuck_file(), NRT_TIMEOUT, "program 'stuck' on core 0 is deadlocked"},
        Case{bad_file(), NRT_EXEC_COMPLETED_WITH_ERR, "program 'bad' on core 0: "}}) {
    nrt_model_t* model = load(c.file);
    CHECK(nrt_execute(model, none.set, none_out.set) == c.status);
    CHECK_THAT(tern_last_error(), Catch::Contains(c.says));
    CHECK(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
    CHECK(twice.good());
    CHECK(nrt_unload(model) == NRT_SUCCESS);
  }
  nrt_model_t* stray = load(stray_file());
  CHECK(nrt_execute(stray, twice.in.set, twice.out.set) == NRT_EXEC_OOB);
  CHECK(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
  CHECK(twice.good());
}

TEST_CASE("two chips in one process have memories and cores of their own") {
  Open open("1", {{"TERN_RT_CHIPS", "2"}});
  Twice near(1, 3), far(1, 11);
  for (Twice* twice : {&near, &far}) {
    REQUIRE(nrt_execute(twice->model, twice->in.set, twice->out.set) == NRT_SUCCESS);
    CHECK(twice->good());
  }
  CHECK(nrt_execute(near.model, far.in.set, near.out.set) == NRT_INVALID);
  CHECK(std::string(tern_last_error()) ==
        "program 'twice': tensor 'x' is on chip 1, the program on chip 0");
  CHECK(nrt_tensor_copy(near.x, 0, far.x, 0, 4) == NRT_INVALID);
}

}  // namespace tern::tb
