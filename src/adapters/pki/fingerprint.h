#pragma once

#include "base/result.h"
#include "core/model/fingerprint.h"

#include <string>
#include <string_view>

namespace muster::pki {

using muster::fingerprint;

fingerprint sha256_fingerprint(std::string_view bytes);

// The digest as 32 bytes.
std::string sha256(std::string_view bytes);

// A key's fingerprint as Salt computes it (pem_finger): SHA-256 of the lines between the first and
// the last line of the PEM text, with LF line ends, without blank lines. So keys of Salt minions
// and agents have the same kind of fingerprint.
result<fingerprint> pem_fingerprint(std::string_view pem);

// The same for an Ed25519 key of 32 bytes. Avoids the PEM encoder, which costs more than verifying
// a signature.
fingerprint ed25519_fingerprint(std::string_view key);

}  // namespace muster::pki
