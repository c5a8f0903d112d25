#pragma once

#include "ports/contract/contract_case.h"
#include "ports/contract/world.h"
#include "ports/metastore.h"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace muster::contract {

// The fault that a fixture must be able to cause for a contract case.
enum class metastore_fault {
    none,
    engine_loss,    // kill_engine, restart_engine
    link_loss,      // cut_link, heal_link
    leader_change,  // change_leader
};

// One engine with any number of clients, and what can go wrong with it. Real adapters start a real
// engine; the simulator has one of its own. An engine may serve all promises one after another:
// none expects an empty store.
class metastore_fixture {
public:
    metastore_fixture() = default;
    metastore_fixture(const metastore_fixture&) = delete;
    metastore_fixture& operator=(const metastore_fixture&) = delete;
    virtual ~metastore_fixture() = default;

    virtual world& where() = 0;

    // Another client of the same engine. An embedded engine may hand out the same one.
    virtual std::shared_ptr<metastore> open() = 0;

    virtual bool can(metastore_fault fault) const { return fault == metastore_fault::none; }

    // Each returns when the fault (or its end) is in place; clients notice in their own time.
    virtual boost::asio::awaitable<void> kill_engine();     // as kill -9 or power loss
    virtual boost::asio::awaitable<void> restart_engine();  // with what survived; ready to serve
    virtual boost::asio::awaitable<void> cut_link();        // between all clients and the engine
    virtual boost::asio::awaitable<void> heal_link();
    virtual boost::asio::awaitable<void> change_leader();  // to another member; the old one may die

    // Keys of one scenario; no other scenario touches them.
    std::string fresh_prefix();

private:
    int prefixes_made_ = 0;
};

using metastore_case = contract_case<metastore_fixture, metastore_fault>;

// What ports/metastore.h promises, one scenario each.
std::span<const metastore_case> metastore_cases();

// Tries them all (contract_case.h), inside a TEST_CASE.
void check_metastore_contract(metastore_fixture& fixture);

}  // namespace muster::contract
