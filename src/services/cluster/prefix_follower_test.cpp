#include "services/cluster/prefix_follower.h"

#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "runtime/clock.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/until.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace muster::cluster {
namespace {

namespace asio = boost::asio;
using harness::run_sync;

void put(muster::metastore& metastore, const std::string& key) {
    kv::transaction change;
    change.then.emplace_back(kv::put{.key = key, .value = "x"});
    REQUIRE(run_sync(metastore.commit(std::move(change))).value().committed);
}

// The history is gone before the first change could be told, and something has happened meanwhile.
class lost_history final : public metastore_watch {
public:
    explicit lost_history(muster::metastore& metastore) : store_(metastore) {}
    async<kv::watch_event> next() override {
        put(store_, "names/missed");
        co_return kv::watch_event(kv::compacted{kv::revision(1)});
    }

private:
    metastore& store_;
};

// The real one, but for its first watch.
class forgetful_store final : public metastore {
public:
    explicit forgetful_store(metastore& real) : real_(real) {}
    async<kv::lookup> get(std::string key) override { return real_.get(std::move(key)); }
    async<kv::page> range(kv::range_request request) override {
        ++pages;
        return real_.range(std::move(request));
    }
    async<kv::commit_result> commit(kv::transaction change) override {
        return real_.commit(std::move(change));
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override { return real_.grant(ttl); }
    async<void> keep_alive(kv::lease_id lease) override { return real_.keep_alive(lease); }
    async<void> revoke(kv::lease_id lease) override { return real_.revoke(lease); }
    async<void> compact(kv::revision oldest) override { return real_.compact(oldest); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        if (std::exchange(forgets, false)) return std::make_unique<lost_history>(real_);
        return real_.watch(std::move(prefix), from);
    }

    bool forgets = false;
    int pages = 0;

private:
    metastore& real_;
};

struct follower_of_names {
    harness::temporary_directory where{"prefix"};
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> real =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    forgetful_store store{*real};
    std::set<std::string> known;
    int readings = 0;
    prefix_follower follows{
        store,
        clock,
        log,
        {.on_read =
             [this](const std::vector<kv::entry>& all, kv::revision) {
                 ++readings;
                 known.clear();
                 for (const auto& each : all) known.insert(each.key);
             },
         .on_change =
             [this](const kv::change_batch& batch) {
                 for (const auto& change : batch.changes) {
                     if (std::holds_alternative<kv::written>(change)) {
                         known.insert(key_of(change));
                     } else {
                         known.erase(key_of(change));
                     }
                 }
             }},
        {.prefix = "names/", .subject = "the names", .page_entries = 2}};

    asio::awaitable<void> until_known(std::set<std::string> desired) {
        asio::cancellation_signal enough;
        bool ended = false;
        asio::co_spawn(
            co_await asio::this_coro::executor,
            follows.run(),
            asio::bind_cancellation_slot(
                enough.slot(), [&ended](const std::exception_ptr&) { ended = true; }));
        co_await harness::until(clock, "all is known", [&] { return known == desired; });
        enough.emit(asio::cancellation_type::terminal);
        co_await harness::until(clock, "it ends", [&ended] { return ended; });
    }
};

TEST_CASE("what does not fit one page is told at once, and nothing of other prefixes") {
    follower_of_names here;
    const std::set<std::string> names{"names/a", "names/b", "names/c", "names/d", "names/e"};
    for (const auto& name : names) put(*here.real, name);
    put(*here.real, "other/a");

    CHECK_FALSE(here.follows.complete());
    REQUIRE(run_sync(here.follows.read_all()).has_value());

    CHECK(here.known == names);
    CHECK(here.readings == 1);
    CHECK(here.store.pages == 3);
    CHECK(here.follows.complete());
}

TEST_CASE("what happened while the history was lost is made good by reading everything again") {
    follower_of_names here;
    put(*here.real, "names/a");
    here.store.forgets = true;

    harness::real_event_loop().run(here.until_known({"names/a", "names/missed"}));

    CHECK(here.readings == 2);
}

}  // namespace
}  // namespace muster::cluster
