#pragma once

#include "ports/contract/world.h"

#include <boost/asio/awaitable.hpp>
#include <doctest/doctest.h>

#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace muster::contract {

// One thing a port promises: a sentence, what must be possible in a fixture for it to be tried
// there, and the scenario that throws, or fails doctest checks, when it does not hold.
template <class Fixture, class Fault>
struct promise {
    const char* sentence;
    Fault needs;
    boost::asio::awaitable<void> (*holds)(Fixture& fixture);
};

// The scenario, and an exception when it does not end.
boost::asio::awaitable<void> in_time(muster::clock& clock, boost::asio::awaitable<void> scenario);

// What a fixture does when it is asked for a fault it said it cannot make.
boost::asio::awaitable<void> cannot();

template <class Fixture, class Fault>
void check_promise(const promise<Fixture, Fault>& one, std::type_identity_t<Fixture>& fixture) {
    auto& where = fixture.where();
    where.run(in_time(where.clock(), one.holds(fixture)));
}

// Tries all promises whose faults the fixture can make, each as a doctest sub-case named by its
// sentence. For use inside a TEST_CASE. Doctest starts the test case anew for each sub-case: keep a
// fixture whose engine is slow to start outside of it.
template <class Fixture, class Fault>
void check_promises(
    std::span<const promise<Fixture, Fault>> all, std::type_identity_t<Fixture>& fixture) {
    for (const auto& one : all) {
        if (!fixture.can(one.needs)) continue;
        SUBCASE(one.sentence) {
            check_promise(one, fixture);
        }
    }
}

template <class Promise>
std::vector<Promise> joined(std::initializer_list<std::span<const Promise>> parts) {
    std::vector<Promise> all;
    for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace muster::contract
