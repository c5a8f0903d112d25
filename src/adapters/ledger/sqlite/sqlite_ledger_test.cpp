#include "adapters/ledger/sqlite/sqlite_ledger.h"

#include "ports/contract/ledger_contract.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace muster::ledger_sqlite {
namespace {

class sqlite_fixture final : public contract::ledger_fixture {
public:
    contract::world& where() override { return world_; }

    std::shared_ptr<ledger> open(const std::string& database) override {
        auto opened = ledger_sqlite::open({.file = directory_.path() / (database + ".db")});
        if (!opened) throw std::runtime_error(to_string(opened.error()));
        return *std::move(opened);
    }

private:
    harness::real_event_loop world_;
    harness::temporary_directory directory_{"ledger-sqlite"};
};

TEST_CASE("the SQLite ledger keeps the promises of the port") {
    sqlite_fixture fixture;
    contract::check_ledger_contract(fixture);
}

}  // namespace
}  // namespace muster::ledger_sqlite
