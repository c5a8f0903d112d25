#pragma once

#include "ports/ledger.h"

#include <string>

namespace muster::harness {

// A ledger that hands everything on to a real one. Tests override what they disturb.
class forwarding_ledger : public ledger {
public:
    explicit forwarding_ledger(ledger& real) : real_(real) {}

    async<void> migrate(table::schema schema) override;
    async<std::int64_t> inspect(table::schema schema) override;
    async<table::summary> write(table::batch change) override;
    async<table::page> read(table::query question) override;
    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override;
    async<void> ensure_partitions(table::partition_range partition_range) override;
    async<void> drop_partitions(std::string table, wall_time before) override;
    async<ledger_identity> identity() override;

private:
    ledger& real_;
};

}  // namespace muster::harness
