#pragma once

#include "base/result.h"
#include "ports/clock.h"

#include <string>
#include <string_view>

namespace muster::repository {

// Which key an index must be signed with.
struct signing_key {
    std::string block;  // as its owner publishes it, armoured or not
    std::string print;  // its fingerprint, or an id of 16 hexadecimal digits at least
};

// A fingerprint as people write it, with blanks and small letters, in one spelling. errc::invalid
// for one that is too short to mean one key.
result<std::string> one_print(std::string_view text);

// Whether `signature` is one of `index` by the key: gpgv says so. It is run in a directory of its
// own with that key alone, for some seconds at most. Blocks. errc::corrupt when the signature is
// not good, errc::unavailable when gpgv could not be asked.
struct signed_index {
    std::string index;
    std::string signature;
};
result<void> check_signature(
    const signed_index& signed_index, const signing_key& key, const muster::clock& clock);

// What an armoured text holds; one that is not armoured, as it is. errc::invalid.
result<std::string> without_armour(std::string_view text);

}  // namespace muster::repository
