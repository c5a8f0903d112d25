#include "services/bootstrap/founding.h"

#include "adapters/os/file.h"
#include "adapters/os/password.h"
#include "adapters/os/random.h"
#include "base/assert.h"
#include "base/hex.h"
#include "core/table/row_reader.h"
#include "services/cluster/cluster_tables.h"
#include "services/cluster/keys.h"
#include "services/people/keys.h"
#include "services/schema/ledger_schema.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace muster::bootstrap {
namespace {

constexpr auto cluster_id_file = "cluster-id";
constexpr std::size_t cluster_id_bytes = 16;
constexpr std::int64_t only_row = 1;

void strip_newline(std::string& text) {
    while (text.ends_with('\n')) text.pop_back();
}

std::unexpected<error> disagreement(std::string sentence) {
    return fail(errc::conflict, std::move(sentence));
}

std::unexpected<error> other_ledger(const std::string& theirs, const std::string& ours) {
    return disagreement(fmt::format(
        "the ledger belongs to cluster {}, but the metastore holds cluster {}; check the "
        "settings `ledger` and `metastore`",
        theirs,
        ours));
}

}  // namespace

result<std::string> founding::own_cluster() const {
    auto read = os::load_file(where_.file(cluster_id_file));
    if (!read && read.error().code() == errc::not_found) return std::string();
    if (read) strip_newline(*read);
    return read;
}

async<std::optional<std::string>> founding::ledger_cluster() {
    asked_ = cluster::engine::ledger;
    table::query question{.table = std::string(cluster::cluster_table), .limit = 1};
    CO_TRY(const auto page, co_await records_.read(std::move(question)));
    if (page.rows.empty()) co_return std::optional<std::string>();
    table::row_reader in(cluster::cluster_table, page.rows.front());
    static_cast<void>(in.take<std::int64_t>("singleton"));
    auto id = in.take<std::string>("id");
    static_cast<void>(in.take<wall_time>("made"));
    CO_CHECK_OK(in.finish());
    co_return std::optional(std::move(id));
}

async<void> founding::claim_ledger(cluster::cluster_record record) {
    asked_ = cluster::engine::ledger;
    table::batch claim;
    claim.writes.push_back(
        {.table = std::string(cluster::cluster_table),
         .rows = {{only_row, record.id, record.made}}});
    CO_CHECK_OK(co_await records_.write(std::move(claim)));
    CO_TRY(const auto owner, co_await ledger_cluster());
    if (owner != record.id) co_return other_ledger(owner.value_or("none"), record.id);
    co_return result<void>();
}

async<void> founding::mark_claim(std::string id) {
    asked_ = cluster::engine::metastore;
    const std::string mark(cluster::keys::ledger_claim);
    kv::transaction change;
    change.when = {kv::absent{mark}};
    change.then = {kv::put{.key = mark, .value = std::move(id)}};
    CO_CHECK_OK(co_await store_.commit(std::move(change)));  // if not committed, it was there
    co_return result<void>();
}

result<std::string> founding::first_password() {
    const auto file = where_.file(first_password_file);
    auto there = os::load_file(file);
    if (there) strip_newline(*there);
    if (there && !there->empty()) return there;  // an earlier start was cut short
    auto made = os::random_password();
    const auto saved = os::save_file({.file = file, .text = made + "\n"});
    if (!saved) return unusable(saved.error());
    made_password_ = true;
    return made;
}

result<people::user_record> founding::first_admin() {
    // The password is on disk before the cluster exists: it cannot be found out later.
    TRY(const auto password, first_password());
    TRY(auto hash, os::hash_password(password));
    return people::user_record{
        .name = first_user,
        .password_hash = std::move(hash),
        .grants = {{.role = "admin", .zone = ""}},
        .must_change = true,  // it stands in a file, and was on a screen
        .made = time_.wall()};
}

// No engine is away, so waiting would not help: what a disk does not take is for people to mend.
std::unexpected<error> founding::unusable(const error& failure) const {
    return fail(
        errc::denied,
        fmt::format(
            "the data directory {} cannot be used: {}", where_.path().string(), failure.detail()));
}

async<cluster::cluster_record> founding::found(
    pki::authority authority, std::string id, people::user_record admin) {
    cluster::cluster_record record{
        .id = std::move(id),
        .authority = authority.certificate().fingerprint().str(),
        .made = time_.wall()};
    const std::string identity(cluster::keys::identity);
    const auto user = people::keys::user(first_user);
    kv::transaction change;
    change.when = {kv::absent{identity}, kv::absent{user}};
    change.then = {
        kv::put{.key = identity, .value = encode(record)},
        kv::put{.key = user, .value = encode(admin)}};
    asked_ = cluster::engine::metastore;
    CO_TRY(const auto verdict, co_await store_.commit(std::move(change)));
    if (verdict.committed) co_return record;
    // It may be our own: an earlier commit whose answer was lost, or a server with the same CA.
    for (const auto& each : verdict.current) {
        if (each.key != identity) continue;
        CO_TRY(auto winner, cluster::decode_cluster(each.value));
        if (winner.authority == record.authority) co_return winner;
    }
    undo();
    co_return disagreement(
        "another server has just founded a cluster in this metastore; start again to see how "
        "to join it");
}

void founding::undo() {
    if (std::exchange(made_authority_, false)) keys_.drop_authority();
    std::error_code ignored;
    if (std::exchange(made_password_, false))
        std::filesystem::remove(where_.file(first_password_file), ignored);
}

result<pki::authority> founding::authority_of(const cluster::cluster_record& record) const {
    TRY(auto authority, keys_.find_authority(time_.wall()));
    if (authority && authority->certificate().fingerprint().str() == record.authority)
        return std::move(*authority);
    return disagreement(fmt::format(
        "the metastore holds cluster {}, and {} does not have that cluster's CA; copy ca.pem "
        "and ca-key.pem from one of its servers, or choose another metastore to found a new "
        "cluster",
        record.id,
        where_.path().string()));
}

async<founding::findings> founding::ask_metastore() {
    findings seen;
    CO_TRY(seen.own, own_cluster());
    asked_ = cluster::engine::metastore;
    CO_TRY(const auto there, co_await store_.get(std::string(cluster::keys::identity)));
    if (there.found) {
        CO_TRY(seen.record, cluster::decode_cluster(there.found->value));
    }
    CO_TRY(const auto claim, co_await store_.get(std::string(cluster::keys::ledger_claim)));
    seen.had_ledger = claim.found.has_value();
    co_return seen;
}

result<void> founding::compare(const findings& seen) const {
    if (seen.record) return compare(seen, *seen.record);
    if (!seen.own.empty())
        return disagreement(fmt::format(
            "{} belongs to cluster {}, but the metastore holds no cluster; check the setting "
            "`metastore`, or restore its backup",
            where_.path().string(),
            seen.own));
    if (seen.in_ledger)
        return disagreement(fmt::format(
            "the ledger belongs to cluster {}, but the metastore holds no cluster; check the "
            "settings `ledger` and `metastore`",
            *seen.in_ledger));
    return {};
}

result<void> founding::compare(const findings& seen, const cluster::cluster_record& record) const {
    if (!seen.own.empty() && seen.own != record.id)
        return disagreement(fmt::format(
            "{} belongs to cluster {}, but the metastore holds cluster {}; check the settings "
            "`data` and `metastore`",
            where_.path().string(),
            seen.own,
            record.id));
    if (seen.in_ledger && *seen.in_ledger != record.id)
        return other_ledger(*seen.in_ledger, record.id);
    // `cluster-id` is written after the ledger was claimed, so it says as much as the claim.
    if (!seen.in_ledger && (seen.had_ledger || !seen.own.empty()))
        return disagreement(fmt::format(
            "cluster {} has a ledger already, and the one of the setting `ledger` holds no "
            "cluster; check that setting, or restore the ledger's backup",
            record.id));
    if (const auto now = time_.wall(); now + pki::authority::clock_skew < record.made)
        return fail(
            errc::invalid,
            fmt::format(
                "cluster {} was made on {}, and it is {} now: check the clock",
                record.id,
                pki::to_text(record.made),
                pki::to_text(now)));
    return {};
}

async<void> founding::check(authority_comes how) {
    // The metastore first: who sees its claim sees the claimed ledger's row, too.
    CO_TRY(auto seen, co_await ask_metastore());
    asked_ = cluster::engine::ledger;
    CO_TRY(const auto version, co_await records_.look(schema::ledger_schema()));
    if (version > 0) {
        CO_TRY(seen.in_ledger, co_await ledger_cluster());
    }
    CO_CHECK_OK(compare(seen));
    CO_TRY(const auto authority, keys_.find_authority(time_.wall()));
    const bool joins = !authority && how == authority_comes::by_joining;
    if (joins && !seen.record)
        co_return disagreement(
            "the metastore holds no cluster that could be joined; check the setting `metastore`");
    if (!joins && seen.record) {
        CO_CHECK_OK(authority_of(*seen.record));
    }
    co_return result<void>();
}

async<founding::found_cluster> founding::run() {
    CO_TRY(auto seen, co_await ask_metastore());
    CO_TRY(seen.in_ledger, co_await ledger_cluster());
    CO_CHECK_OK(compare(seen));
    if (!seen.record) co_return co_await found_new();
    auto record = *seen.record;
    co_return co_await enter(std::move(record), std::move(seen));
}

async<founding::found_cluster> founding::found_new() {
    CO_TRY(auto authority, keys_.find_authority(time_.wall()));
    const auto id = to_hex(os::random_bytes(cluster_id_bytes));
    CO_TRY(auto admin, first_admin());
    if (!authority) {
        auto made = keys_.make_authority(id, time_.wall());
        if (!made) {
            undo();
            co_return unusable(made.error());
        }
        authority = std::move(*made);
        made_authority_ = true;
    }
    CO_TRY(auto record, co_await found(*authority, id, std::move(admin)));
    CO_CHECK_OK(co_await claim_ledger(record));
    CO_CHECK_OK(co_await mark_claim(record.id));
    CO_CHECK_OK(remember(record));
    co_return found_cluster{std::move(record), std::move(*authority), true};
}

async<founding::found_cluster> founding::enter(cluster::cluster_record record, findings seen) {
    CO_TRY(auto authority, authority_of(record));
    if (!seen.in_ledger) {
        CO_CHECK_OK(co_await claim_ledger(record));
    }
    if (!seen.had_ledger) {  // also a cluster from before there was such a mark
        CO_CHECK_OK(co_await mark_claim(record.id));
    }
    if (seen.own.empty()) {
        CO_CHECK_OK(remember(record));
    }
    co_return found_cluster{std::move(record), std::move(authority), false};
}

result<void> founding::remember(const cluster::cluster_record& record) const {
    const auto saved =
        os::save_file({.file = where_.file(cluster_id_file), .text = record.id + "\n"});
    if (!saved) return unusable(saved.error());
    return {};
}

}  // namespace muster::bootstrap
