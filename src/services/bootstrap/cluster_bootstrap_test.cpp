#include "services/bootstrap/cluster_bootstrap.h"

#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/os/file.h"
#include "runtime/clock.h"
#include "services/cluster/cluster_tables.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace muster::bootstrap {
namespace {

using harness::run_sync;

// A metastore whose commits land late: the first is answered with doubt, and reads do not see it
// before the second was tried.
class late_metastore final : public metastore {
public:
    explicit late_metastore(metastore& real) : real_(real) {}

    async<kv::lookup> get(std::string key) override {
        auto real = co_await real_.get(std::move(key));
        if (real && commits_ < 2) real->found.reset();
        co_return real;
    }
    async<kv::commit_result> commit(kv::transaction change) override {
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
    runtime::system_clock clock;
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();

    ground() { REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value()); }

    std::filesystem::path path(const std::string& server) const { return where.path() / server; }

    // As a metastore was written before there was such a mark, or by who was cut short.
    void forget_claim() {
        kv::transaction change;
        change.then = {kv::erase{std::string(cluster::keys::ledger_claim)}};
        REQUIRE(run_sync(store->commit(std::move(change))).has_value());
    }
    bool has_claim() {
        auto match = run_sync(store->get(std::string(cluster::keys::ledger_claim)));
        return match.value().found.has_value();
    }
};

std::size_t clusters_in(muster::ledger& ledger) {
    table::query question{.table = std::string(cluster::cluster_table), .limit = 1};
    return run_sync(ledger.read(std::move(question))).value().rows.size();
}

struct candidate {
    std::unique_ptr<os::data_directory> data;
    certificate_files keys;
    cluster_bootstrap origin;

    candidate(ground& on, const std::string& name, metastore& through)
        : data(os::data_directory::open(on.path(name)).value()),
          keys(*data, {.name = name, .hosts = {}}),
          origin(*data, keys, through, *on.records, on.clock) {}

    void take_authority_of(const candidate& other) const {
        for (const auto* file : {"ca.pem", "ca-key.pem"})
            std::filesystem::copy_file(other.data->file(file), data->file(file));
    }
    bool has(const char* file) const { return std::filesystem::exists(data->file(file)); }
};

TEST_CASE("a founder whose answer was lost finds its own cluster and keeps its CA") {
    ground on;
    late_metastore late(*on.store);
    candidate candidate(on, "one", late);

    CHECK(run_sync(candidate.origin.run()).error().code() == errc::timed_out);
    const auto again = run_sync(candidate.origin.run());
    REQUIRE_MESSAGE(again.has_value(), to_string(again.error()));
    const auto& match = *again;

    CHECK(match.record.authority == match.authority.certificate().fingerprint().str());
    CHECK(candidate.has("ca-key.pem"));
    CHECK(candidate.has("first-password"));
    const auto remembered = os::load_file(candidate.data->file("cluster-id")).value();
    CHECK(remembered == match.record.id + "\n");
}

TEST_CASE("an engine that fails is named, and not another one in its place") {
    ground on;
    late_metastore late(*on.store);
    candidate waiting(on, "waiting", late);
    auto unready = ledger_sqlite::open({.file = on.path("unready.db")}).value();
    on.records.swap(unready);
    candidate refused(on, "refused", *on.store);

    REQUIRE_FALSE(run_sync(waiting.origin.run()).has_value());
    REQUIRE_FALSE(run_sync(refused.origin.run()).has_value());

    CHECK(waiting.origin.last_engine() == cluster::engine::metastore);
    CHECK(refused.origin.last_engine() == cluster::engine::ledger);
}

TEST_CASE("who loses the race to found a cluster takes back what it made, and nothing else") {
    ground on;
    ground apart;  // the winner has not come to claiming the ledger
    candidate winner(apart, "winner", *on.store);
    REQUIRE(run_sync(winner.origin.run()).has_value());
    late_metastore blind(*on.store);  // does not see the winner's cluster before it tries itself
    candidate loser(on, "loser", blind);

    CHECK(run_sync(loser.origin.run()).error().code() == errc::timed_out);
    CHECK_FALSE(run_sync(loser.origin.run()).has_value());

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
    REQUIRE(run_sync(first.origin.run()).has_value());
    wrong_clock a_day_ago(std::chrono::hours(-24));
    cluster_bootstrap again(*first.data, first.keys, *on.store, *on.records, a_day_ago);
    wrong_clock nearly_right(std::chrono::hours(0));
    cluster_bootstrap at_last(*first.data, first.keys, *on.store, *on.records, nearly_right);

    const auto refused = run_sync(again.run());

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid);
    CHECK(refused.error().detail().contains("was created on"));
    CHECK(refused.error().detail().contains("check the clock"));
    CHECK(run_sync(at_last.run()).has_value());
}

TEST_CASE("a server that was given the same CA enters the cluster another has just founded") {
    ground on;
    ground apart;
    candidate winner(apart, "winner", *on.store);
    const auto founded = run_sync(winner.origin.run()).value();
    on.forget_claim();  // the winner has not come to claiming the ledger
    late_metastore blind(*on.store);
    candidate second(on, "second", blind);
    second.take_authority_of(winner);

    CHECK(run_sync(second.origin.run()).error().code() == errc::timed_out);
    const auto entered = run_sync(second.origin.run()).value();

    CHECK(entered.record.id == founded.record.id);
    CHECK(second.has("ca-key.pem"));
}

TEST_CASE("a known server does not take an empty ledger in place of its own") {
    ground on;
    const ground empty;
    candidate first(on, "first", *on.store);
    REQUIRE(run_sync(first.origin.run()).has_value());
    on.forget_claim();  // what the data directory remembers is enough
    cluster_bootstrap again(*first.data, first.keys, *on.store, *empty.records, on.clock);

    const auto checked = run_sync(again.check(cluster_bootstrap::ca_source::local));
    const auto refused = run_sync(again.run());

    REQUIRE_FALSE(checked.has_value());
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("restore the backup of the ledger"));
    CHECK(clusters_in(*empty.records) == 0);
}

TEST_CASE("a server that joins is refused where the cluster's ledger is lost") {
    ground on;
    const ground empty;
    candidate first(on, "first", *on.store);
    REQUIRE(run_sync(first.origin.run()).has_value());
    candidate second(on, "second", *on.store);
    second.take_authority_of(first);
    cluster_bootstrap joins(*second.data, second.keys, *on.store, *empty.records, on.clock);

    const auto refused = run_sync(joins.run());

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail().contains("already has a ledger"));
    CHECK(clusters_in(*empty.records) == 0);
    CHECK_FALSE(second.has("cluster-id"));
    CHECK(run_sync(second.origin.run()).has_value());  // on the right one
}

TEST_CASE("a cluster from before ledgers were marked is entered and marked") {
    ground on;
    candidate first(on, "first", *on.store);
    REQUIRE(run_sync(first.origin.run()).has_value());
    on.forget_claim();
    cluster_bootstrap again(*first.data, first.keys, *on.store, *on.records, on.clock);

    const auto entered = run_sync(again.run());

    REQUIRE(entered.has_value());
    CHECK_FALSE(entered->is_new);
    CHECK(on.has_claim());
}

TEST_CASE("a ledger of another cluster is refused at the schema it has") {
    ground on;
    candidate first(on, "first", *on.store);
    REQUIRE(run_sync(first.origin.run()).has_value());
    auto old = schema::ledger_schema();
    old.migrations.resize(1);
    auto theirs = ledger_sqlite::open({.file = on.path("theirs.db")}).value();
    REQUIRE(run_sync(theirs->migrate(old)).has_value());
    table::batch claim;
    claim.writes.push_back(
        {.table = std::string(cluster::cluster_table),
         .rows = {{std::int64_t{1}, std::string("theirs"), on.clock.wall()}}});
    REQUIRE(run_sync(theirs->write(std::move(claim))).has_value());
    cluster_bootstrap again(*first.data, first.keys, *on.store, *theirs, on.clock);

    const auto refused = run_sync(again.check(cluster_bootstrap::ca_source::local));

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::conflict);
    CHECK(refused.error().detail().contains("belongs to cluster theirs"));
    CHECK(run_sync(theirs->inspect(schema::ledger_schema())).value() == 1);
}

TEST_CASE("a metastore without a cluster is not joined") {
    ground on;
    candidate wrong(on, "wrong", *on.store);

    const auto refused = run_sync(wrong.origin.check(cluster_bootstrap::ca_source::join));

    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().detail().contains("no cluster to join"));
}

}  // namespace
}  // namespace muster::bootstrap
