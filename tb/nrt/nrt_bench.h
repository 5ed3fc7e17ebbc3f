// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nrt/nrt_async.h"
#include "nrt/nrt_experimental.h"
#include "nrt/tern.h"
#include "tb/nrt/programs.h"

// The C runtime with what its tests need again and again.
namespace tern::tb {

// Not an assertion: those of Catch2 are for one thread.
inline void must(NRT_STATUS status, const char* what) {
  if (status != NRT_SUCCESS) throw std::runtime_error(std::string(what) + ": " + tern_last_error());
}

// Open with logical cores of a size, closed at the end.
struct Open {
  explicit Open(const char* logical = "1",
                const std::vector<std::pair<const char*, const char*>>& more = {}) {
    setenv("NEURON_LOGICAL_NC_CONFIG", logical, 1);
    for (const auto& [name, value] : more) setenv(name, value, 1);
    REQUIRE(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "") == NRT_SUCCESS);
  }
  ~Open() { nrt_close(); }
};

struct Set {
  Set() { must(nrt_allocate_tensor_set(&set), "nrt_allocate_tensor_set"); }
  ~Set() { nrt_destroy_tensor_set(&set); }
  void add(const char* name, nrt_tensor_t* tensor) {
    must(nrt_add_tensor_to_tensor_set(set, name, tensor), "nrt_add_tensor_to_tensor_set");
  }
  nrt_tensor_set_t* set = nullptr;
};

inline nrt_tensor_t* tensor(std::size_t bytes, int vnc = 0,
                            nrt_tensor_placement_t place = NRT_TENSOR_PLACEMENT_DEVICE) {
  nrt_tensor_t* result = nullptr;
  must(nrt_tensor_allocate(place, vnc, bytes, "t", &result), "nrt_tensor_allocate");
  return result;
}

inline nrt_model_t* load(const std::string& file, int vnc = 0) {
  nrt_model_t* model = nullptr;
  must(nrt_load(file.data(), file.size(), vnc, -1, &model), "nrt_load");
  return model;
}

// x and y of `twice`, with its model.
struct Twice {
  explicit Twice(unsigned parts = 1, int vnc = 0, unsigned free = 64,
                 nrt_tensor_placement_t place = NRT_TENSOR_PLACEMENT_DEVICE)
      : model(load(twice_file(parts, free), vnc)), count(std::size_t{128} * parts * free) {
    x = tensor(count * 4, vnc, place);
    y = tensor(count * 4, vnc, place);
    in.add("x", x);
    out.add("y", y);
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i % 1000) - 500);
    must(nrt_tensor_write(x, values.data(), 0, count * 4), "nrt_tensor_write");
  }
  ~Twice() {
    nrt_tensor_free(&x);
    nrt_tensor_free(&y);
    nrt_unload(model);
  }
  bool good() const {
    std::vector<float> result(count);
    if (nrt_tensor_read(y, result.data(), 0, count * 4) != NRT_SUCCESS) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (result[i] != 2 * values[i]) return false;
    }
    return true;
  }
  nrt_model_t* model;
  std::size_t count;
  nrt_tensor_t *x = nullptr, *y = nullptr;
  Set in, out;
  std::vector<float> values;
};

}  // namespace tern::tb
