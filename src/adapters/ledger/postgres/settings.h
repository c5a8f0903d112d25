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

// `full` checks the server's certificate and name.
enum class tls_mode { off, full };
enum class tls_version { tls_1_2, tls_1_3 };

struct settings {
    std::string address;  // postgresql://user@host:port/database, without a password
    // Index of the host of the last successful connection: tried first.
    std::shared_ptr<std::atomic<std::size_t>> last_good_host =
        std::make_shared<std::atomic<std::size_t>>(0);
    std::filesystem::path password_file;  // read at each connect; its first line; empty: none
    tls_mode tls = tls_mode::full;
    tls_version tls_min = tls_version::tls_1_3;
    std::filesystem::path tls_ca;           // empty: the system's
    std::filesystem::path tls_certificate;  // of this client, with its key; empty: none
    std::filesystem::path tls_key;

    std::size_t writers = 2;                // connections that write, each with a thread
    std::size_t readers = 2;                // connections that read and migrate, each with a thread
    std::size_t queue_writes_max = 65'536;  // waiting; more are refused as unavailable
    std::size_t queue_bytes_max = 256 * std::size_t{1024} * 1024;
    std::size_t queue_reads_max = 16'384;
    std::size_t group_rows_max = 5'000;  // written with one durable commit
    std::size_t group_bytes_max = 16 * std::size_t{1024} * 1024;

    std::chrono::milliseconds attempt = std::chrono::seconds(4);  // one attempt of one request
    // All attempts of one request, with its time in the queue. No attempt starts later. A write may
    // end one attempt later, because aborting it would leave its outcome unknown.
    std::chrono::milliseconds timeout = std::chrono::seconds(10);

    // A migration has no time limit while the server is alive. This is the wait for a server that
    // is away at the start, or falls silent meanwhile (liveness_probe.h).
    std::chrono::milliseconds migration_timeout = std::chrono::seconds(60);
    // One attempt to drop old partitions: they may have many files on a slow disk.
    std::chrono::milliseconds retire_attempt = std::chrono::hours(1);
    std::chrono::milliseconds poll_interval = std::chrono::seconds(10);  // while work takes long
    // Called on a thread of the ledger; may be empty.
    std::function<void(const migration_progress&)> on_migration = {};
};

}  // namespace muster::ledger_postgres
