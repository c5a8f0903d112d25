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

// The ledger's table `systems`, record by record. Thread-safe.
class system_store {
public:
    system_store(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    using found = std::map<fingerprint, stored_system>;
    async<found> read(std::vector<fingerprint> prints);

    // Writes each record if its version is larger than the one that is there, together with what
    // else belongs to it. Gives those that stand as they were to be written: all, when nobody was
    // faster. A write that may or may not have happened is looked up.
    async<std::vector<system_record>> write(
        std::vector<system_record> records, std::vector<table::write> beside = {});

    // Up to `limit` evicted records that were written before `before`, oldest first: those that are
    // marked to be erased, or the others.
    enum class erasure_mark { set, unset };
    struct evicted_query {
        erasure_mark mark = erasure_mark::set;
        wall_time before;
        std::size_t limit = 0;
        std::string after = {};  // evicted_page::next of the page before; empty: from the first
    };
    struct evicted_page {
        std::vector<stored_system> systems;
        std::string next;  // empty: there are no more
    };
    async<evicted_page> read_evicted(evicted_query evicted_query);

    // Takes the rows and the facts of these systems away, as if they had never been.
    async<void> erase(std::vector<fingerprint> prints);

    // Of one batch; facts that are written beside count too.
    static constexpr std::size_t batch_records_max = 4'000;

private:
    async<std::vector<system_record>> standing(std::vector<system_record> systems);

    ledger& ledger_;
    muster::clock& clock_;
};

}  // namespace muster::fleet
