#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/group.h"

#include <atomic>
#include <set>
#include <string>
#include <vector>

namespace muster::ledger_postgres {

// Writes groups through one connection: the rows are copied in binary form into a temporary table
// and go from there into the table with one INSERT … ON CONFLICT, one transaction for the group.
//
// Rows of sequenced tables are numbered from a counter row, which the transaction holds until it
// has ended: the order of numbers is the order of commits.
class group_writer {
public:
    // `doorbell`: whether the server takes NOTIFY.
    group_writer(connection on, const std::atomic<bool>& sequence_notifier)
        : on_(std::move(on)), doorbell_(sequence_notifier) {}

    // One summary for each request, or why the group was not written. errc::timed_out: it may have
    // been.
    result<std::vector<table::summary>> write(
        const std::vector<write_request*>& group, instant deadline);

    bool broken() const { return on_.broken(); }

private:
    result<void> prepare(const staged_group& staged, instant deadline);
    result<void> prepare_partitions(const staged_table& table, instant deadline);
    result<void> copy(const staged_group& staged, instant deadline);
    result<std::vector<table::summary>> finish(
        const std::vector<write_request*>& group, const staged_group& staged, instant deadline);

    connection on_;
    const std::atomic<bool>& doorbell_;
    std::set<std::string> staging_made_;
    std::set<std::string> partitions_known_;  // bounded by what the server has
};

}  // namespace muster::ledger_postgres
