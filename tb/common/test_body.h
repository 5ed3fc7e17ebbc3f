// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <utility>

namespace tern::tb {

// The body of a test as a thread of a SystemC bench: SC_THREAD calls thread(), the test calls
// run().
class TestBody {
 public:
  // Runs the simulation until the body has ended, and throws what it threw.
  void run(std::function<void()> body) {
    body_ = std::move(body);
    sc_core::sc_start();
    if (failure_) std::rethrow_exception(failure_);
  }

  void thread() {
    try {
      body_();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      failure_ = std::current_exception();
    }
    sc_core::sc_stop();
  }

 private:
  std::function<void()> body_;
  std::exception_ptr failure_;
};

}  // namespace tern::tb
