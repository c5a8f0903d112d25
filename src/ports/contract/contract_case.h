#pragma once

#include "ports/contract/world.h"

#include <boost/asio/awaitable.hpp>
#include <doctest/doctest.h>

#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace muster::contract {

// One test case of a port's contract: its name, the fault that the fixture must be able to cause,
// and the scenario. The scenario throws or fails doctest checks if the engine breaks the contract.
template <class Fixture, class Fault>
struct contract_case {
    const char* name;
    Fault required_fault;
    boost::asio::awaitable<void> (*run)(Fixture& fixture);
};

// Runs the scenario; throws when it does not end in time.
boost::asio::awaitable<void> in_time(muster::clock& clock, boost::asio::awaitable<void> scenario);

// For faults that a fixture cannot cause: throws.
boost::asio::awaitable<void> cannot();

template <class Fixture, class Fault>
void check_case(
    const contract_case<Fixture, Fault>& test_case, std::type_identity_t<Fixture>& fixture) {
    auto& world = fixture.where();
    world.run(in_time(world.clock(), test_case.run(fixture)));
}

// Runs all cases whose faults the fixture can cause, each as a doctest sub-case. For use inside a
// TEST_CASE. Doctest restarts the test case for each sub-case: keep a fixture whose engine starts
// slowly outside of it.
template <class Fixture, class Fault>
void check_cases(
    std::span<const contract_case<Fixture, Fault>> cases, std::type_identity_t<Fixture>& fixture) {
    for (const auto& test_case : cases) {
        if (!fixture.can(test_case.required_fault)) continue;
        SUBCASE(test_case.name) {
            check_case(test_case, fixture);
        }
    }
}

template <class Case>
std::vector<Case> join_cases(std::initializer_list<std::span<const Case>> parts) {
    std::vector<Case> cases;
    for (const auto part : parts) cases.insert(cases.end(), part.begin(), part.end());
    return cases;
}

}  // namespace muster::contract
