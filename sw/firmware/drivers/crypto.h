// SPDX-License-Identifier: Apache-2.0
// Hash and signature engine. Functions wait until it is done; false: it refused, or did not answer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Of bytes in memory or flash.
bool crypto_sha256(const void* data, uint32_t bytes, uint8_t digest[32]);
// Numbers are big endian: key X, Y; signature R, S. *valid: the signature is the key's.
bool crypto_verify(const uint8_t key[64], const uint8_t signature[64], const uint8_t digest[32],
                   bool* valid);
