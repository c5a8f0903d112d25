#include "services/content/sync_schedule.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "services/content/content_services.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/forwarding_ledger.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <utility>

namespace muster::content {
namespace {

using harness::run_sync;

class shifted_clock final : public clock {
public:
    explicit shifted_clock(std::chrono::hours by) : by_(by) {}
    instant now() const override { return real_.now(); }
    wall_time wall() const override { return real_.wall() + by_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }

private:
    std::chrono::hours by_;
    runtime::system_clock real_;
};

// A ledger that can be told to write nothing for a while.
class moody_ledger final : public harness::forwarding_ledger {
public:
    using forwarding_ledger::forwarding_ledger;
    bool refuses = false;

    async<table::summary> write(table::batch change) override {
        if (refuses) co_return fail(errc::unavailable, "not now");
        co_return co_await forwarding_ledger::write(std::move(change));
    }
};

// A server that is asked, the one that drives, and a channel whose repository is not there.
struct site {
    harness::temporary_directory home{"sync"};
    runtime::system_clock clock;
    shifted_clock behind{std::chrono::hours(-2)};
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(home.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> real = ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();
    moody_ledger records{*real};
    content_number_allocator numbers{*store};
    content_store content{records, clock, log};
    repository::repository_reader reader{clock, {.directories = {home.path()}}};
    channel_sync_worker asked{
        {.content = content, .numbers = numbers, .reader = reader, .clock = behind, .log = log}};
    channel_sync_worker driver{
        {.content = content, .numbers = numbers, .reader = reader, .clock = clock, .log = log}};
    sync_schedule due{{.content = content, .syncs = driver, .clock = clock, .log = log}};

    site() {
        REQUIRE(run_sync(records.migrate(schema::ledger_schema())).has_value());
        content_service content_service(content, numbers);
        channel desired;
        desired.row.name = "shop";
        desired.name = "shop";
        desired.arch = "channel-x86_64";
        REQUIRE(run_sync(content_service.create(std::move(desired), "me")).has_value());
        const auto nowhere = (home.path() / "nowhere").string();
        REQUIRE(
            run_sync(content_service.create_repository("repo", "yum", nowhere, "me")).has_value());
        REQUIRE(run_sync(content_service.change("shop", "me", [](channel& of) -> result<void> {
                    of.repositories = {"repo"};
                    return {};
                })).has_value());
    }

    void ask() { REQUIRE(run_sync(asked.request({.channel = "shop", .by = "ada"})).has_value()); }
    // Whether the driver has something to do then.
    bool look() {
        REQUIRE(run_sync(due.look()).has_value());
        return driver.stage_of("shop").has_value();
    }
    void work() {
        boost::asio::io_context loop;
        boost::asio::cancellation_signal stop;
        const auto ended = [](const std::exception_ptr&) {
        };
        boost::asio::co_spawn(
            loop, driver.run(), boost::asio::bind_cancellation_slot(stop.slot(), ended));
        while (driver.stage_of("shop")) loop.run_one();
        stop.emit(boost::asio::cancellation_type::terminal);
        loop.run();
    }
};

TEST_CASE("what was asked for is tried also when the clock of who was asked is behind") {
    site here;
    here.ask();
    REQUIRE(here.look());
    here.work();
    CHECK(!here.look());  // it was tried
    CHECK(here.content.find<channel>("shop")->sync_trouble.contains("nowhere"));
    here.ask();
    CHECK(here.look());
}

TEST_CASE("what was asked for is tried again when not even its failure could be written down") {
    site here;
    here.ask();
    REQUIRE(here.look());
    here.records.refuses = true;
    here.work();
    here.records.refuses = false;
    REQUIRE(here.content.find<channel>("shop")->sync_asked.has_value());
    CHECK(here.look());
    here.work();
    CHECK(!here.content.find<channel>("shop")->sync_asked.has_value());
    CHECK(!here.look());
}

}  // namespace
}  // namespace muster::content
