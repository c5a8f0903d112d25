#include "tests/harness/ledger_over.h"

#include <utility>

namespace muster::harness {

async<void> ledger_over::migrate(table::schema wanted) {
    return real_.migrate(std::move(wanted));
}

async<std::int64_t> ledger_over::look(table::schema known) {
    return real_.look(std::move(known));
}

async<table::summary> ledger_over::write(table::batch change) {
    return real_.write(std::move(change));
}

async<table::page> ledger_over::read(table::query question) {
    return real_.read(std::move(question));
}

async<table::sequence> ledger_over::wait_for_change(
    std::string table, table::sequence after, std::chrono::milliseconds patience) {
    return real_.wait_for_change(std::move(table), after, patience);
}

async<void> ledger_over::ensure_partitions(table::partition_range wanted) {
    return real_.ensure_partitions(std::move(wanted));
}

async<void> ledger_over::retire(std::string table, wall_time before) {
    return real_.retire(std::move(table), before);
}

async<ledger_identity> ledger_over::identity() {
    return real_.identity();
}

}  // namespace muster::harness
