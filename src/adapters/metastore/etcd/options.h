#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace muster {

// Options of the etcd metastore. The password is read from its file at each login, so that it can
// be changed without a restart. Certificates are read once, at opening.
struct etcd_options {
    std::vector<std::string> endpoints;  // "host:port", any members of one cluster

    // With `ca` connections are TLS; with certificate and key they are mutual TLS.
    struct tls_files {
        std::filesystem::path ca;
        std::filesystem::path certificate;
        std::filesystem::path key;
    } tls;

    std::string user;  // empty: without authentication
    std::filesystem::path password_file;

    std::string key_prefix;  // put before every key; a client sees only keys under it

    // Deadline of one attempt; idempotent requests are repeated, on the next endpoint, until
    // `timeout`.
    std::chrono::milliseconds request_deadline = std::chrono::milliseconds(500);
    std::chrono::milliseconds timeout = std::chrono::seconds(5);

    enum class commits { coalesced, one_by_one };
    commits commit_mode = commits::coalesced;  // one_by_one is for benchmarks

    std::size_t waiting_commits_max = 10'000;  // more are told errc::unavailable
    std::size_t waiting_bytes_max = 64 * std::size_t{1024} * 1024;
    std::size_t reads_max = 10'000;  // under way at once; more are told errc::unavailable
    std::size_t watch_buffer_changes_max = 10'000;  // per watch; then its reader must catch up
};

// errc::invalid; the error names the wrong option.
result<void> check_options(const etcd_options& options);

}  // namespace muster
