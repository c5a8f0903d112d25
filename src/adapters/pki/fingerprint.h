#pragma once

#include "base/result.h"
#include "core/model/fingerprint.h"

#include <string>
#include <string_view>

namespace muster::pki {

using muster::fingerprint;

fingerprint sha256_fingerprint(std::string_view bytes);

// The 32 bytes themselves.
std::string sha256(std::string_view bytes);

// How Salt names a key (its pem_finger): SHA-256 over the lines between the first and the last
// line of the PEM text, line ends kept as LF, blank lines dropped. A Salt minion's key and an
// agent's key are thus named alike.
result<fingerprint> pem_fingerprint(std::string_view pem);

// The same of an Ed25519 key of 32 bytes, whose PEM always has one line of text: without the
// encoder, which costs more than checking a signature.
fingerprint ed25519_fingerprint(std::string_view key);

}  // namespace muster::pki
