#pragma once

#include "base/prng.h"
#include "ports/contract/ledger_contract.h"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::contract {

// The tables of the scenarios.
//   machines: name (key), state, note?      sequenced; states move forward
//   samples:  id (key), one optional column of every type
//   events:   at, id (key), what            sequenced, one partition a day
table::schema scenario_schema();

table::row machine(std::string name, std::int64_t state);
table::row event(wall_time at, std::int64_t id);
table::batch one_write(
    std::string to, std::vector<table::row> rows, table::on_existing policy = {});
table::query all_of(std::string from);

// One client of one database of the fixture's engine. Its calls fail the test when the engine does
// not answer as a healthy one must; errc::unavailable is tried again for a while, since an engine
// may still be recovering.
class ledger_test_client {
public:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    explicit ledger_test_client(ledger_fixture& fixture);  // a database of its own
    ledger_test_client(
        ledger_fixture& fixture, std::string database);  // another client of this one

    const std::string& database() const { return database_; }
    ledger& store() { return *ledger_; }
    muster::clock& clock() { return fixture_.where().clock(); }

    awaitable<void> migrate() { return migrate(scenario_schema()); }
    awaitable<void> migrate(table::schema schema);
    awaitable<table::summary> write(table::batch change);
    awaitable<table::page> read(table::query question);
    awaitable<std::vector<table::row>> read_all(table::query question);  // page by page
    awaitable<error> failure_of_migrate(table::schema schema);
    awaitable<error> failure_of_write(table::batch change);
    awaitable<error> failure_of_read(table::query question);
    awaitable<void> sleep(monotonic::duration span);

private:
    ledger_fixture& fixture_;
    std::string database_;
    std::shared_ptr<ledger> ledger_;
};

// How long a client may be told `unavailable` or kept waiting before that is a failure.
inline constexpr auto ledger_answer_time_max = std::chrono::seconds(30);

std::string text_cell(const table::row& cells, std::size_t at);
std::int64_t integer_cell(const table::row& cells, std::size_t at);

}  // namespace muster::contract
