#pragma once

#include "core/table/store.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "runtime/async_event.h"

#include <functional>
#include <optional>
#include <string>

namespace muster::harness {

// The ledger's model (core/table/store.h) behind the port, without threads: with a manual_clock a
// test decides what happens when. For one loop, and one waiter at a time.
class memory_ledger final : public ledger {
public:
    explicit memory_ledger(muster::clock& clock) : clock_(clock) {}

    async<void> migrate(table::schema schema) override;
    async<table::summary> write(table::batch change) override;
    async<table::page> read(table::query question) override;
    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override;
    async<void> ensure_partitions(table::partition_range partition_range) override;
    async<void> drop_partitions(std::string table, wall_time before) override;
    async<ledger_identity> identity() override;

    // Writes at once, whether the ledger is down or not.
    void put(table::write rows);
    // Every call fails with this error until it ends; a wait under way fails, too.
    void begin_outage(error failure);
    void end_outage() { down_.reset(); }
    // Called once, when a page has been read and before the reader has it.
    void during_next_read(std::function<void()> callback) { during_read_ = std::move(callback); }

    int reads() const { return reads_; }
    std::chrono::milliseconds last_timeout() const { return last_timeout_; }

private:
    muster::clock& clock_;
    table::store store_;
    runtime::async_event changed_;
    std::optional<error> down_;
    std::function<void()> during_read_;
    int reads_ = 0;
    std::chrono::milliseconds last_timeout_{};
};

}  // namespace muster::harness
