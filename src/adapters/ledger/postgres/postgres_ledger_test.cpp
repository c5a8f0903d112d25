#include "adapters/ledger/postgres/postgres_ledger.h"

#include "ports/contract/ledger_contract.h"
#include "tests/harness/cut_link.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/real_world.h"

#include <doctest/doctest.h>

#include <set>
#include <utility>

namespace muster::ledger_postgres {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

class postgres_fixture final : public contract::ledger_fixture {
public:
    contract::world& where() override { return world_; }

    std::shared_ptr<ledger> open(const std::string& database) override {
        if (databases_.insert(database).second) server_.create_database(database);
        settings how;
        how.address = server_.address(database, link_.port());
        how.tls = tls_mode::off;
        how.attempt = 2s;
        how.patience = 5s;
        return ledger_postgres::open(std::move(how));
    }

    bool can(contract::ledger_fault) const override { return true; }

    awaitable<void> kill_engine() override {
        server_.kill();
        co_return;
    }
    awaitable<void> restart_engine() override {
        server_.start();
        co_return;
    }
    awaitable<void> cut_link() override {
        link_.cut();
        co_return;
    }
    awaitable<void> heal_link() override {
        link_.heal();
        co_return;
    }

private:
    harness::real_world world_;
    harness::postgres_server server_;
    harness::cut_link link_{server_.port()};
    std::set<std::string> databases_;
};

TEST_CASE("the PostgreSQL ledger keeps the promises of the port") {
    static postgres_fixture fixture;
    contract::check_ledger_contract(fixture);
}

}  // namespace
}  // namespace muster::ledger_postgres
