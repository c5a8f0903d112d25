#pragma once

#include "ports/ledger.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>

namespace muster::ledger_sqlite {

struct options {
    std::filesystem::path file;
    std::size_t queue_requests_max = 16'384;  // waiting writes, and reads; more are unavailable
    std::size_t queue_bytes_max = 256 * std::size_t{1024} * 1024;  // of waiting writes
    std::size_t group_rows_max = 4'096;  // written with one durable commit
    std::size_t group_bytes_max = 16 * std::size_t{1024} * 1024;
    std::size_t readers = 1;               // threads, each with a connection
    std::size_t retire_rows_max = 10'000;  // erased with one commit
    std::chrono::milliseconds lock_wait = std::chrono::seconds(5);  // for another process
};

// Opens the embedded ledger: one file. One thread writes it, with a durable commit for each group
// of batches; other threads read it. Several processes may share the file and wait for each other's
// lock.
//
// errc::denied: the file cannot be written; errc::corrupt: it is no database or damaged.
result<std::unique_ptr<ledger>> open(options settings);

}  // namespace muster::ledger_sqlite
