#pragma once

#include "ports/bus.h"
#include "ports/contract/contract_case.h"
#include "ports/contract/world.h"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace muster::contract {

// The fault that a fixture must be able to cause for a contract case.
enum class bus_fault {
    none,
    engine_loss,    // kill_engine, restart_engine
    link_loss,      // cut_link, heal_link
    leader_change,  // change_leader
};

// One engine with any number of clients, and what can go wrong with it. An engine may serve all
// promises one after another: none expects an empty stream, each uses subjects of its own.
//
// The scenarios take errc::unavailable and errc::timed_out for what they are and try again, so that
// a simulator may lose, delay and double messages underneath them all.
class bus_fixture {
public:
    bus_fixture() = default;
    bus_fixture(const bus_fixture&) = delete;
    bus_fixture& operator=(const bus_fixture&) = delete;
    virtual ~bus_fixture() = default;

    virtual world& where() = 0;

    // Another client of the same engine. An engine in this process may hand out the same one.
    virtual std::shared_ptr<bus> open() = 0;

    // How many messages wait at most in a live subscription of these clients; 100 is a good value.
    virtual std::size_t feed_messages_max() const = 0;

    virtual bool can(bus_fault fault) const { return fault == bus_fault::none; }

    // Each returns when the fault (or its end) is in place; clients notice in their own time.
    virtual boost::asio::awaitable<void> kill_engine();     // as kill -9
    virtual boost::asio::awaitable<void> restart_engine();  // with what survived; ready to serve
    virtual boost::asio::awaitable<void> cut_link();        // between all clients and the engine
    virtual boost::asio::awaitable<void> heal_link();
    virtual boost::asio::awaitable<void> change_leader();  // to another member; the old one may die

    // A word for subjects, ids and consumers of one scenario; no other scenario uses it.
    std::string fresh_word();

private:
    int words_made_ = 0;
};

using bus_case = contract_case<bus_fixture, bus_fault>;

// What ports/bus.h promises, one scenario each.
std::span<const bus_case> bus_cases();

// Tries them all (contract_case.h), inside a TEST_CASE.
void check_bus_contract(bus_fixture& fixture);

}  // namespace muster::contract
