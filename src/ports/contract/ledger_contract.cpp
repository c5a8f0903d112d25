#include "ports/contract/ledger_contract.h"

#include "ports/contract/ledger_promises.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <doctest/doctest.h>

#include <array>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

namespace muster::contract {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

// A scenario that is not done by then hangs.
constexpr auto scenario_time_max = 120s;

awaitable<std::exception_ptr> outcome_of(const ledger_promise& promise, ledger_fixture& fixture) {
    try {
        co_await promise.holds(fixture);
    } catch (...) {
        co_return std::current_exception();
    }
    co_return nullptr;
}

awaitable<void> check_in_time(const ledger_promise& promise, ledger_fixture& fixture) {
    using namespace boost::asio::experimental::awaitable_operators;
    auto& time = fixture.where().time();
    auto first = co_await (outcome_of(promise, fixture) || time.sleep_for(scenario_time_max));
    if (first.index() == 1) throw std::runtime_error("the scenario does not end");
    if (auto failure = std::get<0>(first)) std::rethrow_exception(std::move(failure));
}

awaitable<void> cannot() {
    throw std::logic_error("this fixture cannot make the fault it was asked for");
    co_return;
}

std::vector<ledger_promise> all_promises() {
    const std::array parts{
        promises_about_migrations(),
        promises_about_writes(),
        promises_about_reads(),
        promises_about_sequences(),
        promises_about_partitions(),
        promises_about_lost_ledgers(),
    };
    std::vector<ledger_promise> all;
    for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

awaitable<void> ledger_fixture::kill_engine() {
    return cannot();
}

awaitable<void> ledger_fixture::restart_engine() {
    return cannot();
}

awaitable<void> ledger_fixture::cut_link() {
    return cannot();
}

awaitable<void> ledger_fixture::heal_link() {
    return cannot();
}

std::string ledger_fixture::fresh_database() {
    ++databases_made_;
    return "contract_" + std::to_string(databases_made_);
}

std::span<const ledger_promise> ledger_promises() {
    static const std::vector<ledger_promise> all = all_promises();
    return all;
}

void check_promise(const ledger_promise& promise, ledger_fixture& fixture) {
    fixture.where().run(check_in_time(promise, fixture));
}

void check_ledger_contract(ledger_fixture& fixture) {
    for (const ledger_promise& promise : ledger_promises()) {
        if (!fixture.can(promise.needs)) continue;
        SUBCASE(promise.sentence) {
            check_promise(promise, fixture);
        }
    }
}

}  // namespace muster::contract
