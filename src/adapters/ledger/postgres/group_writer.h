#pragma once

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/group.h"

#include <atomic>
#include <set>
#include <string>
#include <vector>

namespace muster::ledger_postgres {

// Writes groups through one connection, in one transaction a group. It copies the rows in binary
// form into a temporary table, and from there with INSERT … ON CONFLICT into the table. Not
// thread-safe.
//
// Rows of sequenced tables are numbered from a counter row, which the transaction locks until it
// ends: the order of numbers is the order of commits.
class group_writer {
public:
    // `notify_supported`: whether the server supports NOTIFY.
    group_writer(connection connection, const std::atomic<bool>& notify_supported)
        : connection_(std::move(connection)), notify_supported_(notify_supported) {}

    // One summary for each request, or why the group was not written. errc::timed_out: it may have
    // been written.
    result<std::vector<table::summary>> write(
        const std::vector<write_request*>& group, instant deadline);

    bool broken() const { return connection_.broken(); }

private:
    result<void> prepare(const staged_group& staged, instant deadline);
    result<void> prepare_partitions(const staged_table& table, instant deadline);
    result<void> copy(const staged_group& staged, instant deadline);
    result<std::vector<table::summary>> insert_and_commit(
        const std::vector<write_request*>& group, const staged_group& staged, instant deadline);

    connection connection_;
    const std::atomic<bool>& notify_supported_;
    std::set<std::string> staging_tables_;
    std::set<std::string> known_partitions_;  // bounded by what the server has
};

}  // namespace muster::ledger_postgres
