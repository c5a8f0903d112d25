#include "adapters/metastore/sqlite/sqlite_metastore.h"

#include "adapters/sqlite/database.h"
#include "ports/contract/run_concurrently.h"
#include "ports/deadline.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace muster {
namespace {

using boost::asio::awaitable;
using harness::run_sync;
using namespace std::chrono_literals;

struct scene {
    harness::temporary_directory directory{"metastore"};
    std::filesystem::path file = directory.path() / "metastore.db";
    harness::real_event_loop world;

    std::unique_ptr<sqlite_metastore> open(sqlite_metastore_options options = {}) const {
        auto opened = sqlite_metastore::open(file, options);
        REQUIRE_MESSAGE(opened.has_value(), to_string(opened.error()));
        return *std::move(opened);
    }
    error failure() const {
        const auto opened = sqlite_metastore::open(file, {.lock_wait = 0ms});
        REQUIRE_FALSE(opened.has_value());
        return opened.error();
    }
    std::string bytes() const {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

kv::revision put(metastore& in, std::string key, std::string value, kv::lease_id lease = {}) {
    const auto verdict =
        run_sync(in.commit({.then = {kv::put{std::move(key), std::move(value), lease}}}));
    REQUIRE_MESSAGE(verdict.has_value(), to_string(verdict.error()));
    return verdict->at;
}

awaitable<void> put_one(metastore& in, std::string key, int& reserved) {
    const auto verdict = co_await in.commit({.then = {kv::put{std::move(key), "v"}}});
    if (verdict) {
        ++reserved;
    } else {
        CHECK(verdict.error().code() == errc::unavailable);
    }
}

int put_at_once(scene& here, metastore& in, int count) {
    int reserved = 0;
    std::vector<awaitable<void>> all;
    for (int i = 0; i < count; ++i) all.push_back(put_one(in, "k/" + std::to_string(i), reserved));
    here.world.run(contract::run_concurrently(std::move(all)));
    return reserved;
}

TEST_CASE("what was committed is there when the file is opened again") {
    scene here;
    auto first = here.open();
    const auto lease = run_sync(first->grant(60s));
    put(*first, "a", "1");
    const auto at = put(*first, std::string("\0b", 2), "2", *lease);
    REQUIRE(run_sync(first->commit({.then = {kv::erase{"a"}}})).has_value());

    first.reset();
    const auto second = here.open();

    const auto page = run_sync(second->range({}));
    REQUIRE(page->entries.size() == 1);
    CHECK(page->entries[0] == kv::entry{std::string("\0b", 2), "2", at, at, *lease});
    CHECK(page->at == at.next());
    CHECK(run_sync(second->keep_alive(*lease)).has_value());
    CHECK(put(*second, "c", "3") == kv::revision(at.value() + 2));
    CHECK(run_sync(second->grant(60s)).value() > *lease);
}

TEST_CASE("a lease that nobody keeps alive after a restart ends by itself") {
    scene here;
    auto first = here.open();
    const auto lease = run_sync(first->grant(1s));
    const auto at = put(*first, "a", "1", *lease);
    first.reset();

    const auto second = here.open();
    const auto watch = second->watch("a", at.next());
    const auto event = run_sync(watch->next());

    const auto& changes = std::get<kv::change_batch>(event.value()).changes;
    CHECK(changes == std::vector<kv::change>{kv::erased{"a", at.next()}});
}

TEST_CASE("a watch from before the restart is told to read again") {
    scene here;
    const auto at = put(*here.open(), "a", "1");

    const auto store = here.open();
    const auto old_watch = store->watch("a", at);
    const auto new_watch = store->watch("a", at.next());
    put(*store, "a", "2");

    const auto response = run_sync(old_watch->next());
    CHECK(std::get<kv::compacted>(response.value()).oldest == at.next());
    const auto event = run_sync(new_watch->next());
    CHECK(std::get<kv::change_batch>(event.value()).changes.size() == 1);
}

TEST_CASE("concurrent commits share durable writes of the file") {
    scene here;
    const auto store = here.open();

    CHECK(put_at_once(here, *store, 500) == 500);

    const auto statistics = store->statistics();
    CHECK(statistics.transactions == 500);
    CHECK(statistics.file_commits >= 1);
    CHECK(statistics.file_commits < 100);
}

TEST_CASE("a full queue refuses, and what was refused did not happen") {
    scene here;
    const auto store = here.open({.queue_requests_max = 3});

    const int reserved = put_at_once(here, *store, 200);

    CHECK(reserved >= 3);
    CHECK(reserved < 200);
    const auto page = run_sync(store->range({}));
    CHECK(page->entries.size() == static_cast<std::size_t>(reserved));
}

awaitable<void> expect_no_news(metastore_watch& watch) {
    harness::real_event_loop world;
    const auto event = co_await within(world.clock(), 1ms, watch.next());
    REQUIRE_FALSE(event.has_value());
    CHECK(event.error().code() == errc::timed_out);
}

TEST_CASE("a watch of a quiet prefix outlives the history of busy ones") {
    scene here;
    const auto store = here.open({.store = {.history = {.changes_max = 10}}});
    const auto quiet = store->watch("quiet/", kv::revision(1));
    const auto late = store->watch("busy/", kv::revision(1));
    here.world.run(expect_no_news(*quiet));

    for (int i = 0; i < 50; ++i) put(*store, "busy/1", std::to_string(i));
    here.world.run(expect_no_news(*quiet));
    put(*store, "quiet/1", "at last");

    const auto event = run_sync(quiet->next());
    CHECK(std::get<kv::change_batch>(event.value()).changes.size() == 1);
    CHECK(std::holds_alternative<kv::compacted>(run_sync(late->next()).value()));
}

awaitable<void> give_up_a_watch(metastore& in) {
    harness::real_event_loop world;
    const auto watch = in.watch("quiet/", kv::revision(1));
    const auto event = co_await within(world.clock(), 0ms, watch->next());
    CHECK_FALSE(event.has_value());
}

TEST_CASE("a watch that is given up while its request stands in line keeps no place") {
    scene here;
    const auto store = here.open({.group_requests_max = 1, .watches_max = 4});
    for (int round = 0; round < 10; ++round) {
        int reserved = 0;
        std::vector<awaitable<void>> all;
        for (int i = 0; i < 5; ++i)
            all.push_back(put_one(*store, "k/" + std::to_string(i), reserved));
        all.push_back(give_up_a_watch(*store));
        here.world.run(contract::run_concurrently(std::move(all)));
    }

    const auto watch = store->watch("k/", kv::revision(1));
    const auto event = run_sync(watch->next());

    CHECK_MESSAGE(event.has_value(), to_string(event.error()));
    CHECK(store->hits().refused == 0);
}

TEST_CASE("there is a limit to watches, and one that ends makes room") {
    scene here;
    const auto store = here.open({.watches_max = 1});
    auto first = store->watch("a", kv::revision(1));
    const auto second = store->watch("a", kv::revision(1));
    put(*store, "a", "1");
    REQUIRE(run_sync(first->next()).has_value());

    const auto refused = run_sync(second->next());
    first.reset();
    const auto reserved = run_sync(second->next());

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::unavailable);
    CHECK(reserved.has_value());
}

TEST_CASE("what outlives the metastore is told that it is closed") {
    scene here;
    auto store = here.open();
    const auto watch = store->watch("a", kv::revision(1));
    auto late = store->get("a");

    store.reset();

    CHECK(run_sync(std::move(late)).error().code() == errc::unavailable);
    CHECK(run_sync(watch->next()).error().code() == errc::unavailable);
}

TEST_CASE("a file that is open already is refused with the reason") {
    scene here;
    const auto first = here.open();

    const auto failure = here.failure();

    CHECK(failure.code() == errc::unavailable);
    CHECK(
        failure.detail()
        == here.file.string()
               + ": file is in use by another process; stop that process or use another file");
}

TEST_CASE("a file of a newer version is refused with the reason") {
    scene here;
    put(*here.open(), "a", "1");
    {
        auto raw = sqlite::database::open({.file = here.file});
        REQUIRE(raw->execute("PRAGMA user_version=99").has_value());
    }

    const auto failure = here.failure();

    CHECK(failure.code() == errc::invalid);
    CHECK(failure.detail().find("newer version of muster (schema 99") != std::string::npos);
}

TEST_CASE("a database of another program is refused and left as it was") {
    scene here;
    {
        auto raw = sqlite::database::open({.file = here.file});
        REQUIRE(raw->execute("PRAGMA journal_mode=DELETE; CREATE TABLE t(a)").has_value());
    }
    const auto before = here.bytes();

    const auto failure = here.failure();

    CHECK(failure.code() == errc::invalid);
    CHECK(failure.detail().find("another program") != std::string::npos);
    CHECK(here.bytes() == before);
}

TEST_CASE("what is not a database is refused and left as it was") {
    scene here;
    std::ofstream(here.file) << std::string(5000, 'x');

    CHECK(here.failure().code() == errc::corrupt);

    CHECK(here.bytes() == std::string(5000, 'x'));
}

TEST_CASE("a damaged file is refused as corrupt") {
    scene here;
    {
        const auto store = here.open();
        for (int i = 0; i < 200; ++i) put(*store, "k/" + std::to_string(i), std::string(500, 'v'));
    }
    {
        std::fstream file(here.file, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(5 * 4096);
        file << std::string(3 * 4096, '\x5a');
    }

    const auto failure = here.failure();

    CHECK(failure.code() == errc::corrupt);
    CHECK(failure.detail().starts_with(here.file.string()));
}

TEST_CASE("a directory that is not there is named in the error and not made") {
    scene here;
    here.file = here.directory.path() / "nowhere" / "metastore.db";

    const auto failure = here.failure();

    CHECK(failure.code() == errc::not_found);
    CHECK(failure.detail().starts_with(here.file.string()));
    CHECK_FALSE(std::filesystem::exists(here.file.parent_path()));
}

}  // namespace
}  // namespace muster
