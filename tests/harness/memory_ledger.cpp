#include "tests/harness/memory_ledger.h"

#include "ports/deadline.h"

#include <stdexcept>
#include <utility>

namespace muster::harness {

async<void> memory_ledger::migrate(table::schema schema) {
    co_return store_.migrate(schema);
}

async<table::summary> memory_ledger::write(table::batch change) {
    if (down_) co_return fail(*down_);
    auto written = store_.write(change);
    changed_.notify();
    co_return written;
}

void memory_ledger::put(table::write rows) {
    table::batch change;
    change.writes.push_back(std::move(rows));
    const auto written = store_.write(change);
    if (!written) throw std::runtime_error(to_string(written.error()));
    changed_.notify();
}

void memory_ledger::begin_outage(error failure) {
    down_ = std::move(failure);
    changed_.notify();
}

async<table::page> memory_ledger::read(table::query question) {
    ++reads_;
    if (down_) co_return fail(*down_);
    auto page = store_.read(question);
    if (const auto callback = std::exchange(during_read_, nullptr)) callback();
    co_return page;
}

async<table::sequence> memory_ledger::wait_for_change(
    std::string table, table::sequence after, std::chrono::milliseconds timeout) {
    last_timeout_ = timeout;
    if (down_) co_return fail(*down_);
    CO_TRY(const auto last, store_.last_sequence(table));
    if (last > after || timeout == std::chrono::milliseconds(0)) co_return last;
    const auto rung = co_await within(clock_, timeout, changed_.wait());
    if (!rung && rung.error().code() == errc::cancelled) co_return fail(rung.error());
    if (down_) co_return fail(*down_);
    co_return store_.last_sequence(table);
}

async<void> memory_ledger::ensure_partitions(table::partition_range /*range*/) {
    co_return result<void>();
}

async<void> memory_ledger::drop_partitions(std::string table, wall_time before) {
    CO_CHECK_OK(store_.retire(table, before));
    co_return result<void>();
}

async<ledger_identity> memory_ledger::identity() {
    co_return ledger_identity{
        .engine = "memory", .database = "memory", .version = store_.tables().version()};
}

}  // namespace muster::harness
