#pragma once

#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"
#include "base/result.h"

#include <filesystem>
#include <utility>

namespace muster::agent {

// Who this system is: its Ed25519 key, and the fingerprint the cluster knows it by.
struct identity {
    identity(pki::private_key own, const pki::fingerprint& named)
        : key(std::move(own)), print(named) {}

    pki::private_key key;
    pki::fingerprint print;
};

// Reads `file`, or makes a key and keeps it there (mode 0600, on disk before it is used). A file
// that cannot be read or is no key is an error, never replaced: the cluster knows the old one.
result<identity> load_or_make_identity(const std::filesystem::path& file);

}  // namespace muster::agent
