#pragma once

#include "base/result.h"
#include "ports/clock.h"

#include <string>
#include <string_view>

namespace muster::repository {

// The key that must have signed an index.
struct signing_key {
    std::string block;        // public key, armoured or binary
    std::string fingerprint;  // or an id of at least 16 hexadecimal digits
};

// Normalizes a fingerprint with blanks or small letters. errc::invalid if it is too short to
// identify a key.
result<std::string> normalize_fingerprint(std::string_view text);

// Checks with gpgv that the key signed the index. gpgv runs in a temporary directory with that key
// alone, with a timeout. Blocks. errc::corrupt: no good signature. errc::unavailable: gpgv failed.
struct signed_index {
    std::string index;
    std::string signature;
};
result<void> check_signature(
    const signed_index& index, const signing_key& key, const muster::clock& clock);

// Decodes an armoured text; returns other texts unchanged. errc::invalid.
result<std::string> remove_armour(std::string_view text);

}  // namespace muster::repository
