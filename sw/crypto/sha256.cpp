// SPDX-License-Identifier: Apache-2.0
#include "sw/crypto/sha256.h"

#include <mbedtls/sha256.h>

#include "sw/base/user_error.h"

namespace tern::crypto {

Digest sha256(const void* data, std::size_t bytes) {
  Digest digest;
  constexpr int kNot224 = 0;
  if (mbedtls_sha256_ret(static_cast<const unsigned char*>(data), bytes, digest.data(), kNot224) !=
      0)
    throw RunError("SHA-256: the library refused");
  return digest;
}

}  // namespace tern::crypto
