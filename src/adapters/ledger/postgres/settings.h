#pragma once

#include "adapters/ledger/postgres/migration_progress.h"
#include "base/time.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace muster::ledger_postgres {

// How much of TLS is asked for; `full` checks the server's certificate and name.
enum class tls_mode { off, full };
enum class tls_version { tls_1_2, tls_1_3 };

struct settings {
    std::string address;  // postgresql://user@host:port/database, without a password
    // Of the places that it names the one that the last connection leads to: where to begin.
    std::shared_ptr<std::atomic<std::size_t>> last_good_place =
        std::make_shared<std::atomic<std::size_t>>(0);
    std::filesystem::path password_file;  // read at each connect; its first line; empty: none
    tls_mode tls = tls_mode::full;
    tls_version tls_min = tls_version::tls_1_3;
    std::filesystem::path tls_ca;           // empty: the system's
    std::filesystem::path tls_certificate;  // of this client, with its key; empty: none
    std::filesystem::path tls_key;

    std::size_t writers = 2;                // connections that write, each with a thread
    std::size_t readers = 2;                // connections that read and migrate, each with a thread
    std::size_t queue_writes_max = 65'536;  // waiting; then: unavailable
    std::size_t queue_bytes_max = 256 * std::size_t{1024} * 1024;
    std::size_t queue_reads_max = 16'384;
    std::size_t group_rows_max = 5'000;  // written with one durable commit
    std::size_t group_bytes_max = 16 * std::size_t{1024} * 1024;

    std::chrono::milliseconds attempt = std::chrono::seconds(4);  // one try of one request
    // All tries of one request, waiting for its turn included. Nothing is tried later than that; a
    // write may end one attempt later, because giving up in its middle would leave it in doubt.
    std::chrono::milliseconds timeout = std::chrono::seconds(10);

    // A migration goes on for as long as the server works on it. This long is waited for one that
    // is away before it begins, or that falls silent in its middle (vigil.h).
    std::chrono::milliseconds migration_timeout = std::chrono::seconds(60);
    // One try to drop old partitions: their files may be many and their disk slow.
    std::chrono::milliseconds retire_attempt = std::chrono::hours(1);
    std::chrono::milliseconds look_every = std::chrono::seconds(10);  // while work takes long
    // Called on a thread of the ledger's; empty: nobody is told.
    std::function<void(const migration_progress&)> on_migration = {};
};

}  // namespace muster::ledger_postgres
