#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "runtime/clock.h"
#include "services/configuration/config_file_store.h"
#include "services/configuration/configuration_tables.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/forwarding_ledger.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <utility>

namespace muster::configuration {
namespace {

using harness::run_sync;

class late_clock final : public clock {
public:
    std::chrono::hours late{0};
    instant now() const override { return real_.now(); }
    wall_time wall() const override { return real_.wall() + late; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }

private:
    runtime::system_clock real_;
};

struct shelf {
    harness::temporary_directory where{"contents"};
    late_clock clock;
    std::unique_ptr<ledger> kept =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    config_file_store files{*kept, clock};

    shelf() { REQUIRE(run_sync(kept->migrate(schema::ledger_schema())).has_value()); }

    std::string put(const std::string& path, std::string content) {
        config_file_store::new_revision new_revision{.how = {}, .content = std::move(content)};
        return run_sync(files.put("channel/1", path, std::move(new_revision)))
            .value()
            .newest()
            .digest;
    }
    bool has(const std::string& digest) { return run_sync(files.content(digest)).has_value(); }
};

TEST_CASE(
    "a content that no revision has is forgotten after a day, and comes back when it is used") {
    shelf here;
    const auto stays = here.put("/etc/motd", "hello");
    const auto goes = here.put("/etc/issue", "welcome");
    REQUIRE(run_sync(here.files.remove("channel/1", {"/etc/issue"})).has_value());

    CHECK(run_sync(here.files.prune_contents()).value() == 0);  // somebody may be about to use it
    here.clock.late = std::chrono::hours(25);
    CHECK(run_sync(here.files.prune_contents()).value() == 1);
    CHECK(here.has(stays));
    CHECK_FALSE(here.has(goes));
    CHECK(run_sync(here.files.prune_contents()).value() == 0);
    CHECK(here.put("/etc/other", "welcome") == goes);
    CHECK(run_sync(here.files.content(goes)).value() == "welcome");
}

TEST_CASE("a content that is used again is as young as a new one") {
    shelf here;
    const auto digest = here.put("/etc/issue", "welcome");
    REQUIRE(run_sync(here.files.remove("channel/1", {"/etc/issue"})).has_value());
    here.clock.late = std::chrono::hours(25);

    here.put("/etc/issue", "welcome");
    REQUIRE(run_sync(here.files.remove("channel/1", {"/etc/issue"})).has_value());
    CHECK(run_sync(here.files.prune_contents()).value() == 0);
    CHECK(here.has(digest));
}

// A ledger on which something happens just before the first write.
class interrupted_ledger final : public harness::forwarding_ledger {
public:
    interrupted_ledger(ledger& below, std::function<async<void>()> first)
        : forwarding_ledger(below), first_(std::move(first)) {}

    async<table::summary> write(table::batch change) override {
        if (const auto first = std::exchange(first_, nullptr)) {
            CO_CHECK_OK(co_await first());
        }
        co_return co_await forwarding_ledger::write(std::move(change));
    }

private:
    std::function<async<void>()> first_;
};

async<void> use_again(config_file_store& files) {
    CO_CHECK_OK(co_await files.put("channel/1", "/etc/issue", {.how = {}, .content = "welcome"}));
    co_return result<void>();
}

TEST_CASE("whoever forgets a content that somebody has just begun to use does not succeed") {
    shelf here;
    const auto digest = here.put("/etc/issue", "welcome");
    REQUIRE(run_sync(here.files.remove("channel/1", {"/etc/issue"})).has_value());
    here.clock.late = std::chrono::hours(25);

    bool used = false;
    interrupted_ledger between(*here.kept, [&] {
        used = true;
        return use_again(here.files);
    });
    config_file_store sweeper(between, here.clock);
    CHECK(run_sync(sweeper.prune_contents()).value() == 0);
    CHECK(used);
    CHECK(run_sync(here.files.content(digest)).value() == "welcome");
}

TEST_CASE(
    "what was there before contents could be forgotten is moved, and servers of the version before "
    "go on reading it") {
    constexpr std::size_t migrations_before = 15;
    const harness::temporary_directory where("contents");
    late_clock clock;
    const auto stored = ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    auto before = schema::ledger_schema();
    before.migrations.resize(migrations_before);
    REQUIRE(run_sync(stored->migrate(before)).has_value());
    table::batch old;
    old.writes.push_back(
        {.table = std::string(config_contents_table),
         .rows = {{table::blob{std::string(32, 'd')}, table::blob{"older"}}}});
    REQUIRE(run_sync(stored->write(std::move(old))).has_value());

    REQUIRE(run_sync(stored->migrate(schema::ledger_schema())).has_value());
    config_file_store files(*stored, clock);
    std::string name;
    for (int n = 0; n < 32; ++n) name += "64";
    CHECK(run_sync(files.content(name)).value() == "older");
    const auto rows_of = [&](std::string_view table) {
        return run_sync(stored->read({.table = std::string(table), .limit = 10}))
            .value()
            .rows.size();
    };
    CHECK(rows_of(config_blobs_table) == 1);
    CHECK(rows_of(config_contents_table) == 1);
    CHECK(run_sync(files.prune_contents()).value() == 1);  // of the new place
    CHECK(run_sync(files.content(name)).value() == "older");
}

TEST_CASE("what servers of an older version have written is read") {
    shelf here;
    const auto digest = here.put("/etc/issue", "welcome");
    here.put("/etc/motd", "hello");
    const std::string old(32, 'd');
    table::batch before;
    before.writes.push_back(
        {.table = std::string(config_contents_table),
         .rows = {{table::blob{old}, table::blob{"older"}}}});
    REQUIRE(run_sync(here.kept->write(std::move(before))).has_value());

    std::string name;
    for (int n = 0; n < 32; ++n) name += "64";
    CHECK(run_sync(here.files.content(name)).value() == "older");
    CHECK(here.has(digest));
}

}  // namespace
}  // namespace muster::configuration
