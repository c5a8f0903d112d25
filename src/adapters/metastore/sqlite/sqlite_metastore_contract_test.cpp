#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "ports/contract/metastore_contract.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <memory>

namespace muster {
namespace {

// An embedded engine dies with its clients, so the faults of the contract cannot happen to them;
// sqlite_metastore_crash_test.cpp and sqlite_metastore_disk_test.cpp have those that can.
class sqlite_fixture final : public contract::metastore_fixture {
public:
    contract::world& where() override { return world_; }
    std::shared_ptr<metastore> open() override { return engine_; }

private:
    static std::shared_ptr<metastore> start(const std::filesystem::path& file) {
        auto opened = sqlite_metastore::open(file);
        REQUIRE_MESSAGE(opened.has_value(), to_string(opened.error()));
        return *std::move(opened);
    }

    harness::temporary_directory directory_{"metastore"};
    harness::real_event_loop world_;
    std::shared_ptr<metastore> engine_ = start(directory_.path() / "metastore.db");
};

TEST_CASE("the SQLite metastore keeps the metastore contract") {
    sqlite_fixture fixture;
    contract::check_metastore_contract(fixture);
}

}  // namespace
}  // namespace muster
