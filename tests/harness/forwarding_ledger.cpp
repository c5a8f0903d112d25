#include "tests/harness/forwarding_ledger.h"

#include <utility>

namespace muster::harness {

async<void> forwarding_ledger::migrate(table::schema schema) {
    return real_.migrate(std::move(schema));
}

async<std::int64_t> forwarding_ledger::inspect(table::schema schema) {
    return real_.inspect(std::move(schema));
}

async<table::summary> forwarding_ledger::write(table::batch change) {
    return real_.write(std::move(change));
}

async<table::page> forwarding_ledger::read(table::query question) {
    return real_.read(std::move(question));
}

async<table::sequence> forwarding_ledger::wait_for_change(
    std::string table, table::sequence after, std::chrono::milliseconds timeout) {
    return real_.wait_for_change(std::move(table), after, timeout);
}

async<void> forwarding_ledger::ensure_partitions(table::partition_range partition_range) {
    return real_.ensure_partitions(std::move(partition_range));
}

async<void> forwarding_ledger::drop_partitions(std::string table, wall_time before) {
    return real_.drop_partitions(std::move(table), before);
}

async<ledger_identity> forwarding_ledger::identity() {
    return real_.identity();
}

}  // namespace muster::harness
