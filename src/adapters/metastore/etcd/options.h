#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace muster {

// How to reach an etcd cluster. The password is read from its file at each login, so that it can be
// changed without a restart; certificates are read once, when the metastore is opened.
struct etcd_options {
    std::vector<std::string> endpoints;  // "host:port", any members of one cluster

    // With `ca` connections are TLS; with certificate and key they are mutual TLS.
    struct tls_files {
        std::filesystem::path ca;
        std::filesystem::path certificate;
        std::filesystem::path key;
    } tls;

    std::string user;  // empty: etcd does not ask who we are
    std::filesystem::path password_file;

    std::string key_prefix;  // put before every key; a client sees only keys under it

    // One request; what may be repeated is repeated, on the next endpoint, until the timeout ends.
    std::chrono::milliseconds request_deadline = std::chrono::milliseconds(500);
    std::chrono::milliseconds timeout = std::chrono::seconds(5);

    enum class commits { coalesced, one_by_one };
    commits how_to_commit = commits::coalesced;  // one by one is there to be measured against

    std::size_t waiting_commits_max = 10'000;  // more are told errc::unavailable
    std::size_t waiting_bytes_max = 64 * std::size_t{1024} * 1024;
    std::size_t reads_max = 10'000;  // under way at once; more are told errc::unavailable
    std::size_t watch_buffer_changes_max = 10'000;  // per watch; then its reader must catch up
};

// errc::invalid with a sentence that names the setting at fault.
result<void> check_options(const etcd_options& options);

}  // namespace muster
