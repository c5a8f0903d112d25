#pragma once

#include "ports/contract/contract_case.h"
#include "ports/contract/world.h"
#include "ports/ledger.h"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>
#include <string>

namespace muster::contract {

// The fault that a fixture must be able to cause for a contract case.
enum class ledger_fault {
    none,
    engine_loss,  // kill_engine, restart_engine
    link_loss,    // cut_link, heal_link
};

// One engine with any number of databases and clients, and what can go wrong with it. Real adapters
// start a real engine; the simulator has one of its own.
class ledger_fixture {
public:
    ledger_fixture() = default;
    ledger_fixture(const ledger_fixture&) = delete;
    ledger_fixture& operator=(const ledger_fixture&) = delete;
    virtual ~ledger_fixture() = default;

    virtual world& where() = 0;

    // Another client of the named database, which is made, empty, when it is new. An embedded
    // engine may hand out the same client as long as somebody holds it, but opens anew after
    // kill_engine.
    virtual std::shared_ptr<ledger> open(const std::string& database) = 0;

    virtual bool can(ledger_fault fault) const { return fault == ledger_fault::none; }

    // Each returns when the fault (or its end) is in place; clients notice in their own time. After
    // kill_engine an embedded engine's clients answer nothing but unavailable or timed_out:
    // scenarios open new ones after restart_engine.
    virtual boost::asio::awaitable<void> kill_engine();     // as kill -9 or power loss
    virtual boost::asio::awaitable<void> restart_engine();  // with what survived; ready to serve
    virtual boost::asio::awaitable<void> cut_link();        // between all clients and the engine
    virtual boost::asio::awaitable<void> heal_link();

    // The name of a database that no other scenario uses: letters, digits and '_'.
    std::string fresh_database();

private:
    int databases_made_ = 0;
};

using ledger_case = contract_case<ledger_fixture, ledger_fault>;

// What ports/ledger.h promises, one scenario each.
std::span<const ledger_case> ledger_cases();

// Tries them all (contract_case.h), inside a TEST_CASE.
void check_ledger_contract(ledger_fixture& fixture);

}  // namespace muster::contract
