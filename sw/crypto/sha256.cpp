// SPDX-License-Identifier: Apache-2.0
#include "sw/crypto/sha256.h"

#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

#include "sw/base/user_error.h"

namespace tern::crypto {

Digest sha256(const void* data, std::size_t bytes) {
  Digest digest;
  constexpr int kNot224 = 0;
  const auto* input = static_cast<const unsigned char*>(data);
#if MBEDTLS_VERSION_MAJOR >= 3
  const int result = mbedtls_sha256(input, bytes, digest.data(), kNot224);
#else
  const int result = mbedtls_sha256_ret(input, bytes, digest.data(), kNot224);
#endif
  if (result != 0) throw RunError("SHA-256: the library refused");
  return digest;
}

}  // namespace tern::crypto
