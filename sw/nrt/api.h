// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>

#include "sw/base/user_error.h"
#include "sw/nrt/include/nrt/nrt_status.h"
#include "sw/nrt/instance.h"
#include "sw/nrt/log.h"

// What the C functions share: no exception leaves them.
namespace tern::nrt {

// Of this thread.
std::string& last_error();

inline NRT_STATUS failed(NRT_STATUS status, const std::string& message) {
  last_error() = message;
  log(LogLevel::kError, std::string(nrt_get_status_as_str(status)) + ": " + message);
  return status;
}

template <typename Call>
NRT_STATUS guarded(const Call& call) noexcept {
  try {
    last_error().clear();
    call(Instance::get());
    return NRT_SUCCESS;
  } catch (const runtime::StatusError& error) {
    return failed(static_cast<NRT_STATUS>(error.status()), error.what());
  } catch (const UserError& error) {
    return failed(NRT_INVALID, error.what());
  } catch (const std::bad_alloc&) {
    return failed(NRT_FAIL_HOST_MEM_ALLOC, "not enough memory");
  } catch (const std::length_error&) {
    return failed(NRT_FAIL_HOST_MEM_ALLOC, "not enough memory");
  } catch (const std::exception& error) {
    return failed(NRT_FAILURE, error.what());
  }
}

// For arguments that may not be null.
template <typename... Pointers>
void check_pointers(Pointers... pointers) {
  const bool good[] = {pointers != nullptr...};
  if (!std::all_of(std::begin(good), std::end(good), [](bool one) { return one; }))
    throw runtime::StatusError(runtime::Status::kInvalid, "a null pointer");
}

}  // namespace tern::nrt
