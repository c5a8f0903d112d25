#pragma once

#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/fleet/system_row.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace muster::fleet {

// Reads and writes the table `systems` of the ledger. Thread-safe.
class system_store {
public:
    system_store(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    using stored_systems = std::map<fingerprint, stored_system>;
    async<stored_systems> read(std::vector<fingerprint> prints);

    // Writes each record whose version is newer than the stored one, together with `extra_rows`.
    // Returns the records that are now stored: all of them, unless changed concurrently. After a
    // write with an unknown outcome it reads them back.
    async<std::vector<system_record>> write(
        std::vector<system_record> records, std::vector<table::write> extra_rows = {});

    // Up to `limit` evicted records written before `before`, oldest first; either marked for
    // erasure or not.
    enum class erasure_mark { set, unset };
    struct evicted_query {
        erasure_mark mark = erasure_mark::set;
        wall_time before;
        std::size_t limit = 0;
        std::string after = {};  // evicted_page::next of the previous page; empty: first page
    };
    struct evicted_page {
        std::vector<stored_system> systems;
        std::string next;  // empty: last page
    };
    async<evicted_page> read_evicted(evicted_query request);

    // Erases the rows and the facts of these systems.
    async<void> erase(std::vector<fingerprint> prints);

    // Limit of one batch, including extra rows.
    static constexpr std::size_t batch_records_max = 4'000;

private:
    async<std::vector<system_record>> find_written(std::vector<system_record> systems);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::fleet
