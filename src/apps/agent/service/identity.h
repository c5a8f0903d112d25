#pragma once

#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"
#include "base/result.h"

#include <filesystem>
#include <utility>

namespace muster::agent {

// The identity of this system: its Ed25519 key, and the fingerprint by which the cluster knows it.
struct identity {
    identity(pki::private_key private_key, const pki::fingerprint& fingerprint)
        : key(std::move(private_key)), print(fingerprint) {}

    pki::private_key key;
    pki::fingerprint print;
};

// Reads `file`, or creates a key and saves it (mode 0600, flushed before use). An unreadable file
// is an error and never replaced: the cluster knows the old key.
result<identity> load_or_create_identity(const std::filesystem::path& file);

}  // namespace muster::agent
