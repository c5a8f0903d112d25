#pragma once

#include "ports/ledger.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>

namespace muster::ledger_sqlite {

struct options {
    std::filesystem::path file;
    std::size_t queue_requests_max = 16'384;  // writes and reads waiting, each; then: unavailable
    std::size_t queue_bytes_max = 256 * std::size_t{1024} * 1024;  // of writes; then the same
    std::size_t group_rows_max = 4'096;  // written with one durable commit
    std::size_t group_bytes_max = 16 * std::size_t{1024} * 1024;
    std::size_t readers = 1;               // threads, each with a connection
    std::size_t retire_rows_max = 10'000;  // erased with one commit
    std::chrono::milliseconds lock_wait = std::chrono::seconds(5);  // for another process
};

// The embedded ledger: one file, written by one thread with a durable commit for each group of
// batches, read by others. Several processes may share the file; each then waits for the other's
// lock.
//
// errc::denied: the file cannot be written; errc::corrupt: it is no database or a damaged one.
result<std::unique_ptr<ledger>> open(options settings);

}  // namespace muster::ledger_sqlite
