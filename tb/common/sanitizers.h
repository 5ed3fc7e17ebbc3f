// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a sanitizer is compiled in: 1 or 0, for GCC and Clang.
#if defined(__has_feature)
#define TERN_HAS_SANITIZER(feature) __has_feature(feature)
#else
#define TERN_HAS_SANITIZER(feature) TERN_GCC_##feature
#if defined(__SANITIZE_ADDRESS__)
#define TERN_GCC_address_sanitizer 1
#else
#define TERN_GCC_address_sanitizer 0
#endif
#if defined(__SANITIZE_THREAD__)
#define TERN_GCC_thread_sanitizer 1
#else
#define TERN_GCC_thread_sanitizer 0
#endif
#endif
