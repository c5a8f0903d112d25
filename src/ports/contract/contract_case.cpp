#include "ports/contract/contract_case.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>
#include <variant>

namespace muster::contract {
namespace {

using boost::asio::awaitable;

// A scenario that is not done by then hangs.
constexpr auto scenario_time_max = std::chrono::minutes(3);

// A value, because `||` waits for the other side when one throws.
awaitable<std::exception_ptr> outcome_of(awaitable<void> scenario) {
    try {
        co_await std::move(scenario);
    } catch (...) {
        co_return std::current_exception();
    }
    co_return nullptr;
}

}  // namespace

awaitable<void> in_time(muster::clock& clock, awaitable<void> scenario) {
    using namespace boost::asio::experimental::awaitable_operators;
    auto first = co_await (outcome_of(std::move(scenario)) || clock.sleep_for(scenario_time_max));
    if (first.index() == 1) throw std::runtime_error("the scenario does not end");
    if (auto failure = std::get<0>(first)) std::rethrow_exception(std::move(failure));
}

awaitable<void> cannot() {
    throw std::logic_error("this fixture cannot make the fault it was asked for");
    co_return;
}

}  // namespace muster::contract
