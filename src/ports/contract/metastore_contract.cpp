#include "ports/contract/metastore_contract.h"

#include "ports/contract/metastore_promises.h"

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

awaitable<std::exception_ptr> outcome_of(
    const metastore_promise& promise, metastore_fixture& fixture) {
    try {
        co_await promise.holds(fixture);
    } catch (...) {
        co_return std::current_exception();
    }
    co_return nullptr;
}

awaitable<void> check_in_time(const metastore_promise& promise, metastore_fixture& fixture) {
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

std::vector<metastore_promise> all_promises() {
    const std::array parts{
        promises_about_entries(),
        promises_about_concurrency(),
        promises_about_leases(),
        promises_about_watches(),
        promises_about_faults(),
    };
    std::vector<metastore_promise> all;
    for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

awaitable<void> metastore_fixture::kill_engine() {
    return cannot();
}

awaitable<void> metastore_fixture::restart_engine() {
    return cannot();
}

awaitable<void> metastore_fixture::cut_link() {
    return cannot();
}

awaitable<void> metastore_fixture::heal_link() {
    return cannot();
}

awaitable<void> metastore_fixture::change_leader() {
    return cannot();
}

std::string metastore_fixture::fresh_prefix() {
    ++prefixes_made_;
    return "contract/" + std::to_string(prefixes_made_) + "/";
}

std::span<const metastore_promise> metastore_promises() {
    static const std::vector<metastore_promise> all = all_promises();
    return all;
}

void check_promise(const metastore_promise& promise, metastore_fixture& fixture) {
    fixture.where().run(check_in_time(promise, fixture));
}

void check_metastore_contract(metastore_fixture& fixture) {
    for (const metastore_promise& promise : metastore_promises()) {
        if (!fixture.can(promise.needs)) continue;
        SUBCASE(promise.sentence) {
            check_promise(promise, fixture);
        }
    }
}

}  // namespace muster::contract
