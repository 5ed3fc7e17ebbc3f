// SPDX-License-Identifier: Apache-2.0
// What the C runtime refuses: arguments, handles, settings, too much at a time.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "nrt/nrt_version.h"
#include "tb/nrt/nrt_bench.h"

namespace tern::tb {

TEST_CASE("wrong arguments are refused by name, and harm nothing") {
  Open open;
  Twice twice;
  nrt_model_t* model = nullptr;
  const std::string file = twice_file(1);
  CHECK(nrt_load(file.data(), file.size() - 1, 0, -1, &model) == NRT_INVALID);
  CHECK(std::string(tern_last_error()) == "truncated");
  CHECK(nrt_load("hello, world: not a program", 27, 0, -1, &model) == NRT_INVALID);
  CHECK(nrt_load(nullptr, 0, 0, -1, &model) == NRT_INVALID);
  CHECK(nrt_load(file.data(), file.size(), 8, -1, &model) == NRT_INVALID);
  CHECK(nrt_load(file.data(), file.size(), 0, 2, &model) == NRT_INVALID);
  CHECK(nrt_load_collectives(file.data(), file.size(), 0, 1, 0, 4, &model) == NRT_INVALID);
  const std::string ranks = ranks_file();
  CHECK(nrt_load(ranks.data(), ranks.size(), 0, -1, &model) == NRT_INVALID);
  CHECK(std::string(tern_last_error()) ==
        "program 'twice' has ranks, which only kernels in Python run");
  CHECK(model == nullptr);

  Set small;
  nrt_tensor_t* eight = tensor(8);
  small.add("x", eight);
  CHECK(nrt_execute(twice.model, small.set, twice.out.set) == NRT_INVALID);
  CHECK(std::string(tern_last_error()) == "program 'twice': tensor 'x' takes 32768 bytes, got 8");
  CHECK(nrt_execute(twice.model, twice.out.set, twice.out.set) == NRT_INVALID);
  CHECK(nrt_execute(nullptr, twice.in.set, twice.out.set) == NRT_INVALID_HANDLE);
  CHECK(nrt_execute(twice.model, nullptr, twice.out.set) == NRT_INVALID_HANDLE);

  nrt_tensor_t* freed = eight;
  nrt_tensor_free(&eight);
  CHECK(eight == nullptr);
  CHECK(nrt_tensor_get_size(freed) == 0);
  CHECK(nrt_tensor_write(freed, "", 0, 1) == NRT_INVALID_HANDLE);
  nrt_tensor_t* found = nullptr;
  CHECK(nrt_get_tensor_from_tensor_set(small.set, "x", &found) == NRT_INVALID_HANDLE);
  CHECK(nrt_get_tensor_from_tensor_set(small.set, "y", &found) == NRT_INVALID);
  CHECK(nrt_add_tensor_to_tensor_set(small.set, "a\033[2J", twice.x) == NRT_INVALID);
  CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, std::size_t{1} << 50, "t", &found) ==
        NRT_RESOURCE);
  CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, -1, 8, "t", &found) == NRT_INVALID);
  CHECK(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 0, "t", &found) == NRT_INVALID);
  CHECK(nrt_barrier(0, 3, 2) == NRT_INVALID);

  nrt_model_t* unloaded = load(file, 2);
  CHECK(nrt_unload(unloaded) == NRT_SUCCESS);
  CHECK(nrt_unload(unloaded) == NRT_INVALID_HANDLE);
  CHECK(std::string(nrt_get_status_as_str(NRT_EXEC_OOB)) == "NRT_EXEC_OOB");
  CHECK(std::string(nrt_get_status_as_str(static_cast<NRT_STATUS>(12345))) == "UNKNOWN");
  REQUIRE(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
  CHECK(twice.good());
}

TEST_CASE("calls that need a runtime say so before there is one") {
  nrt_tensor_set_t* set = nullptr;
  CHECK(nrt_execute(nullptr, nullptr, nullptr) == NRT_UNINITIALIZED);
  CHECK(nrt_unload(nullptr) == NRT_UNINITIALIZED);
  CHECK(nrt_tensor_read(nullptr, nullptr, 0, 1) == NRT_UNINITIALIZED);
  CHECK(nrt_tensor_memset(nullptr, 0, 0, 1) == NRT_UNINITIALIZED);
  CHECK(nrt_tensor_copy(nullptr, 0, nullptr, 0, 1) == NRT_UNINITIALIZED);
  CHECK(nrt_allocate_tensor_set(&set) == NRT_UNINITIALIZED);
  CHECK(tern_time_ns() == 0);
}

TEST_CASE("a handle that was freed never becomes another tensor's") {
  Open open;
  nrt_tensor_t* first = tensor(64);
  nrt_tensor_t* old = first;
  nrt_tensor_free(&first);
  for (int n = 0; n < 100; ++n) {
    nrt_tensor_t* other = tensor(64);
    CHECK(other != old);
    CHECK(nrt_tensor_write(old, "", 0, 1) == NRT_INVALID_HANDLE);
    nrt_tensor_free(&other);
  }
  Twice twice;
  // Nor is a handle of one kind one of another.
  CHECK(nrt_tensor_get_size(reinterpret_cast<nrt_tensor_t*>(twice.model)) == 0);
  CHECK(nrt_unload(reinterpret_cast<nrt_model_t*>(twice.x)) == NRT_INVALID_HANDLE);
}

TEST_CASE("a board that cannot be is refused before chips are built, and the next nrt_init works") {
  setenv("TERN_RT_FIRMWARE", "nonsense", 1);
  setenv("NEURON_LOGICAL_NC_CONFIG", "1", 1);
  CHECK(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_INVALID);
  setenv("TERN_RT_FIRMWARE", "", 1);
  Open open;
  Twice twice;
  REQUIRE(nrt_execute(twice.model, twice.in.set, twice.out.set) == NRT_SUCCESS);
  CHECK(twice.good());
}

TEST_CASE("nrt_close ends those who wait at a barrier") {
  Open open;
  NRT_STATUS status = NRT_SUCCESS;
  std::thread waits([&] { status = nrt_barrier(0, 0, 2); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  nrt_close();
  waits.join();
  CHECK((status == NRT_CLOSED));
  REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
  CHECK(nrt_barrier(0, 0, 1) == NRT_SUCCESS);
}

TEST_CASE("only asynchronous requests are limited in number") {
  Open open("1", {{"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS", "2"}});
  nrt_tensor_t* t = tensor(1 << 16);
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int n = 0; n < 12; ++n) {
    threads.emplace_back([&] {
      const std::vector<char> bytes(1 << 16, 7);
      if (nrt_tensor_write(t, bytes.data(), 0, bytes.size()) == NRT_SUCCESS) ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 12);
  CHECK(nrt_tensor_check_output_completion(t, INT64_MAX, 1) == NRT_INVALID);
}

TEST_CASE("settings of the environment") {
  std::uint32_t count = 0;
  const auto total = [&] {
    return nrt_get_visible_vnc_count(&count) == NRT_SUCCESS ? static_cast<int>(count) : -1;
  };
  unsetenv("NEURON_LOGICAL_NC_CONFIG");
  CHECK(total() == 4);  // two cores of a chip in one
  setenv("NEURON_RT_VIRTUAL_CORE_SIZE", "1", 1);
  CHECK(total() == 8);
  setenv("NEURON_LOGICAL_NC_CONFIG", "8", 1);
  CHECK(total() == 1);
  setenv("NEURON_LOGICAL_NC_CONFIG", "4", 1);
  CHECK(total() == -1);
  CHECK(std::string(tern_last_error()) == "NEURON_LOGICAL_NC_CONFIG: expected 1, 2 or 8, got '4'");
  setenv("NEURON_LOGICAL_NC_CONFIG", "1", 1);
  setenv("TERN_RT_CHIPS", "2", 1);
  CHECK(total() == 16);
  setenv("NEURON_RT_NUM_CORES", "3", 1);
  CHECK(total() == 3);
  setenv("NEURON_RT_VISIBLE_CORES", "0-2,9,15", 1);  // wins
  CHECK(total() == 5);
  for (const char* bad :
       {"16", "3-1", "1,1", "x", "-1", "1-", "0,", "99999999999999999999", "\033[2J"}) {
    setenv("NEURON_RT_VISIBLE_CORES", bad, 1);
    CHECK(total() == -1);
    CHECK_THAT(tern_last_error(), Catch::StartsWith("NEURON_RT_VISIBLE_CORES: expected "));
    CHECK(std::string(tern_last_error()).find('\033') == std::string::npos);
  }
  unsetenv("NEURON_RT_VISIBLE_CORES");
  setenv("TERN_RT_CHIP", "trn9", 1);
  CHECK(total() == -1);
  setenv("TERN_RT_CHIP", "trn1", 1);
  setenv("TERN_RT_CHIPS", "1", 1);
  setenv("NEURON_RT_NUM_CORES", "0", 1);
  CHECK(total() == 2);
  nrt_instance_info_t info{};
  CHECK(nrt_get_instance_info(&info, sizeof info) == NRT_SUCCESS);
  CHECK(info.family == NRT_INSTANCE_TRN1);
  CHECK(std::string(info.arch_name) == "trn1");
}

}  // namespace tern::tb
