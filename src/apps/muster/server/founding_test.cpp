#include "apps/muster/server/founding.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/file.h"
#include "roles/cluster/ledger_schema.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace muster::server {
namespace {

using harness::answer_of;

// A metastore whose commits land late: the first is answered with doubt, and reads do not see it
// before the second was tried.
class late_metastore final : public metastore {
public:
    explicit late_metastore(metastore& real) : real_(real) {}

    async<kv::lookup> get(std::string key) override {
        auto found = co_await real_.get(std::move(key));
        if (found && commits_ < 2) found->found.reset();
        co_return found;
    }
    async<kv::verdict> commit(kv::transaction change) override {
        auto verdict = co_await real_.commit(std::move(change));
        if (++commits_ == 1) co_return fail(errc::timed_out, "no answer");
        co_return verdict;
    }
    async<kv::page> range(kv::range_request request) override {
        return real_.range(std::move(request));
    }
    async<kv::lease_id> grant(std::chrono::seconds ttl) override { return real_.grant(ttl); }
    async<void> keep_alive(kv::lease_id lease) override { return real_.keep_alive(lease); }
    async<void> revoke(kv::lease_id lease) override { return real_.revoke(lease); }
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override {
        return real_.watch(std::move(prefix), from);
    }
    async<void> compact(kv::revision oldest) override { return real_.compact(oldest); }

private:
    metastore& real_;
    int commits_ = 0;
};

// The engines of one cluster, and servers that start on them.
struct ground {
    harness::temporary_directory where{"founding"};
    runtime::system_clock time;
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();

    ground() { REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value()); }

    std::filesystem::path path(const std::string& server) const { return where.path() / server; }
};

struct candidate {
    std::unique_ptr<os::data_directory> data;
    keyring keys;
    founding origin;

    candidate(ground& on, const std::string& name, metastore& through)
        : data(os::data_directory::open(on.path(name)).value()),
          keys(*data, {.name = name, .hosts = {}}),
          origin(*data, keys, through, *on.records, on.time) {}

    bool has(const char* file) const { return std::filesystem::exists(data->file(file)); }
};

TEST_CASE("a founder whose answer was lost finds its own cluster and keeps its CA") {
    ground on;
    late_metastore late(*on.store);
    candidate one(on, "one", late);

    CHECK(answer_of(one.origin.run()).error().code() == errc::timed_out);
    const auto again = answer_of(one.origin.run());
    REQUIRE_MESSAGE(again.has_value(), to_string(again.error()));
    const auto& found = *again;

    CHECK(found.record.authority == found.authority.certificate().fingerprint().str());
    CHECK(one.has("ca-key.pem"));
    CHECK(one.has("first-password"));
    const auto remembered = os::load_file(one.data->file("cluster-id")).value();
    CHECK(remembered == found.record.id + "\n");
}

TEST_CASE("an engine that fails is named, and not another one in its place") {
    ground on;
    late_metastore late(*on.store);
    candidate waiting(on, "waiting", late);
    auto unready = ledger_sqlite::open({.file = on.path("unready.db")}).value();
    on.records.swap(unready);
    candidate refused(on, "refused", *on.store);

    REQUIRE_FALSE(answer_of(waiting.origin.run()).has_value());
    REQUIRE_FALSE(answer_of(refused.origin.run()).has_value());

    CHECK(waiting.origin.asked() == cluster::engine::metastore);
    CHECK(refused.origin.asked() == cluster::engine::ledger);
}

TEST_CASE("who loses the race to found a cluster takes back what it made, and nothing else") {
    ground on;
    ground apart;  // the winner has not come to claiming the ledger
    candidate winner(apart, "winner", *on.store);
    REQUIRE(answer_of(winner.origin.run()).has_value());
    late_metastore blind(*on.store);  // does not see the winner's cluster before it tries itself
    candidate loser(on, "loser", blind);

    CHECK(answer_of(loser.origin.run()).error().code() == errc::timed_out);
    CHECK_FALSE(answer_of(loser.origin.run()).has_value());

    CHECK_FALSE(loser.has("ca.pem"));
    CHECK_FALSE(loser.has("ca-key.pem"));
    CHECK_FALSE(loser.has("first-password"));
}

// One that is wrong by as much as it is given.
class wrong_clock final : public clock {
public:
    explicit wrong_clock(std::chrono::hours ahead) : ahead_(ahead) {}
    instant now() const override { return real_.now(); }
    wall_time wall() const override { return real_.wall() + ahead_; }
    async<void> sleep_until(instant when) override { return real_.sleep_until(when); }

private:
    mutable runtime::system_clock real_;
    std::chrono::hours ahead_;
};

TEST_CASE("a server whose clock is before its cluster's making is refused with both dates") {
    ground on;
    candidate first(on, "first", *on.store);
    REQUIRE(answer_of(first.origin.run()).has_value());
    wrong_clock a_day_ago(std::chrono::hours(-24));
    founding again(*first.data, first.keys, *on.store, *on.records, a_day_ago);
    wrong_clock nearly_right(std::chrono::hours(0));
    founding at_last(*first.data, first.keys, *on.store, *on.records, nearly_right);

    const auto refused = answer_of(again.run());

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("was made on"));
    CHECK(refused.error().detail().contains("check the clock"));
    CHECK(answer_of(at_last.run()).has_value());
}

TEST_CASE("a server that was given the same CA enters the cluster another has just founded") {
    ground on;
    ground apart;
    candidate winner(apart, "winner", *on.store);
    const auto founded = answer_of(winner.origin.run()).value();
    late_metastore blind(*on.store);
    candidate second(on, "second", blind);
    for (const auto* file : {"ca.pem", "ca-key.pem"})
        std::filesystem::copy_file(winner.data->file(file), second.data->file(file));

    CHECK(answer_of(second.origin.run()).error().code() == errc::timed_out);
    const auto entered = answer_of(second.origin.run()).value();

    CHECK(entered.record.id == founded.record.id);
    CHECK(second.has("ca-key.pem"));
}

}  // namespace
}  // namespace muster::server
