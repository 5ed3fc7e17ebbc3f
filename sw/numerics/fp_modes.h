// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace tern::numerics {

// Inside its scope the host rounds to nearest even and honours subnormals, whatever the caller had
// set (a library linked with -ffast-math is enough to lose them). Restores the caller's modes at
// the end.
class ScopedFpModes {
 public:
#if defined(__SSE2__)
  ScopedFpModes() : saved_(_mm_getcsr()) {
    _mm_setcsr(kDefault);
  }
  ~ScopedFpModes() {
    _mm_setcsr(saved_);
  }
#else
  ScopedFpModes() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~ScopedFpModes() {
    std::fesetenv(&saved_);
  }
#endif
  ScopedFpModes(const ScopedFpModes&) = delete;
  ScopedFpModes& operator=(const ScopedFpModes&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kDefault =
      0x1F80;  // all exceptions masked, nearest even, no FTZ, no DAZ
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace tern::numerics
