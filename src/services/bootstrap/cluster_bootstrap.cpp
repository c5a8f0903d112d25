#include "services/bootstrap/cluster_bootstrap.h"

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

result<std::string> cluster_bootstrap::own_cluster() const {
    auto read = os::load_file(where_.file(cluster_id_file));
    if (!read && read.error().code() == errc::not_found) return std::string();
    if (read) strip_newline(*read);
    return read;
}

async<std::optional<std::string>> cluster_bootstrap::ledger_cluster() {
    asked_ = cluster::engine::ledger;
    table::query question{.table = std::string(cluster::cluster_table), .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    if (page.rows.empty()) co_return std::optional<std::string>();
    table::row_reader in(cluster::cluster_table, page.rows.front());
    static_cast<void>(in.take<std::int64_t>("singleton"));
    auto id = in.take<std::string>("id");
    static_cast<void>(in.take<wall_time>("made"));
    CO_CHECK_OK(in.finish());
    co_return std::optional(std::move(id));
}

async<void> cluster_bootstrap::claim_ledger(cluster::cluster_record record) {
    asked_ = cluster::engine::ledger;
    table::batch claim;
    claim.writes.push_back(
        {.table = std::string(cluster::cluster_table),
         .rows = {{only_row, record.id, record.made}}});
    CO_CHECK_OK(co_await ledger_.write(std::move(claim)));
    CO_TRY(const auto owner, co_await ledger_cluster());
    if (owner != record.id) co_return other_ledger(owner.value_or("none"), record.id);
    co_return result<void>();
}

async<void> cluster_bootstrap::mark_claim(std::string id) {
    asked_ = cluster::engine::metastore;
    const std::string mark(cluster::keys::ledger_claim);
    kv::transaction change;
    change.when = {kv::absent{mark}};
    change.then = {kv::put{.key = mark, .value = std::move(id)}};
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));  // if not committed, it was there
    co_return result<void>();
}

result<std::string> cluster_bootstrap::first_password() {
    const auto file = where_.file(first_password_file);
    auto there = os::load_file(file);
    if (there) strip_newline(*there);
    if (there && !there->empty()) return there;  // an earlier start was cut short
    auto result = os::random_password();
    const auto saved = os::save_file({.file = file, .text = result + "\n"});
    if (!saved) return unusable(saved.error());
    made_password_ = true;
    return result;
}

result<people::user_record> cluster_bootstrap::first_admin() {
    // The password is on disk before the cluster exists: it cannot be found out later.
    TRY(const auto password, first_password());
    TRY(auto hash, os::hash_password(password));
    return people::user_record{
        .name = first_user,
        .password_hash = std::move(hash),
        .grants = {{.role = "admin", .zone = ""}},
        .must_change = true,  // it stands in a file, and was on a screen
        .made = clock_.wall()};
}

// No engine is away, so waiting would not help: what a disk does not take is for people to mend.
std::unexpected<error> cluster_bootstrap::unusable(const error& failure) const {
    return fail(
        errc::denied,
        fmt::format(
            "the data directory {} cannot be used: {}", where_.path().string(), failure.detail()));
}

async<cluster::cluster_record> cluster_bootstrap::found(
    pki::authority authority, std::string id, people::user_record admin) {
    cluster::cluster_record record{
        .id = std::move(id),
        .authority = authority.certificate().fingerprint().str(),
        .made = clock_.wall()};
    const std::string identity(cluster::keys::identity);
    const auto user = people::keys::user(first_user);
    kv::transaction change;
    change.when = {kv::absent{identity}, kv::absent{user}};
    change.then = {
        kv::put{.key = identity, .value = encode(record)},
        kv::put{.key = user, .value = encode(admin)}};
    asked_ = cluster::engine::metastore;
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
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

void cluster_bootstrap::undo() {
    if (std::exchange(made_authority_, false)) keys_.drop_authority();
    std::error_code ignored;
    if (std::exchange(made_password_, false))
        std::filesystem::remove(where_.file(first_password_file), ignored);
}

result<pki::authority> cluster_bootstrap::authority_of(
    const cluster::cluster_record& record) const {
    TRY(auto authority, keys_.find_authority(clock_.wall()));
    if (authority && authority->certificate().fingerprint().str() == record.authority)
        return std::move(*authority);
    return disagreement(fmt::format(
        "the metastore holds cluster {}, and {} does not have that cluster's CA; copy ca.pem "
        "and ca-key.pem from one of its servers, or choose another metastore to found a new "
        "cluster",
        record.id,
        where_.path().string()));
}

async<cluster_bootstrap::findings> cluster_bootstrap::ask_metastore() {
    findings findings;
    CO_TRY(findings.own, own_cluster());
    asked_ = cluster::engine::metastore;
    CO_TRY(const auto there, co_await metastore_.get(std::string(cluster::keys::identity)));
    if (there.found) {
        CO_TRY(findings.record, cluster::decode_cluster(there.found->value));
    }
    CO_TRY(const auto claim, co_await metastore_.get(std::string(cluster::keys::ledger_claim)));
    findings.had_ledger = claim.found.has_value();
    co_return findings;
}

result<void> cluster_bootstrap::compare(const findings& findings) const {
    if (findings.record) return compare(findings, *findings.record);
    if (!findings.own.empty())
        return disagreement(fmt::format(
            "{} belongs to cluster {}, but the metastore holds no cluster; check the setting "
            "`metastore`, or restore its backup",
            where_.path().string(),
            findings.own));
    if (findings.in_ledger)
        return disagreement(fmt::format(
            "the ledger belongs to cluster {}, but the metastore holds no cluster; check the "
            "settings `ledger` and `metastore`",
            *findings.in_ledger));
    return {};
}

result<void> cluster_bootstrap::compare(
    const findings& findings, const cluster::cluster_record& record) const {
    if (!findings.own.empty() && findings.own != record.id)
        return disagreement(fmt::format(
            "{} belongs to cluster {}, but the metastore holds cluster {}; check the settings "
            "`data` and `metastore`",
            where_.path().string(),
            findings.own,
            record.id));
    if (findings.in_ledger && *findings.in_ledger != record.id)
        return other_ledger(*findings.in_ledger, record.id);
    // `cluster-id` is written after the ledger was claimed, so it says as much as the claim.
    if (!findings.in_ledger && (findings.had_ledger || !findings.own.empty()))
        return disagreement(fmt::format(
            "cluster {} has a ledger already, and the one of the setting `ledger` holds no "
            "cluster; check that setting, or restore the ledger's backup",
            record.id));
    if (const auto now = clock_.wall(); now + pki::authority::clock_skew < record.made)
        return fail(
            errc::invalid,
            fmt::format(
                "cluster {} was made on {}, and it is {} now: check the clock",
                record.id,
                pki::to_text(record.made),
                pki::to_text(now)));
    return {};
}

async<void> cluster_bootstrap::check(ca_source how) {
    // The metastore first: who sees its claim sees the claimed ledger's row, too.
    CO_TRY(auto metastore, co_await ask_metastore());
    asked_ = cluster::engine::ledger;
    CO_TRY(const auto version, co_await ledger_.look(schema::ledger_schema()));
    if (version > 0) {
        CO_TRY(metastore.in_ledger, co_await ledger_cluster());
    }
    CO_CHECK_OK(compare(metastore));
    CO_TRY(const auto authority, keys_.find_authority(clock_.wall()));
    const bool joins = !authority && how == ca_source::by_joining;
    if (joins && !metastore.record)
        co_return disagreement(
            "the metastore holds no cluster that could be joined; check the setting `metastore`");
    if (!joins && metastore.record) {
        CO_CHECK_OK(authority_of(*metastore.record));
    }
    co_return result<void>();
}

async<cluster_bootstrap::bootstrap_result> cluster_bootstrap::run() {
    CO_TRY(auto metastore, co_await ask_metastore());
    CO_TRY(metastore.in_ledger, co_await ledger_cluster());
    CO_CHECK_OK(compare(metastore));
    if (!metastore.record) co_return co_await found_new();
    auto record = *metastore.record;
    co_return co_await enter(std::move(record), std::move(metastore));
}

async<cluster_bootstrap::bootstrap_result> cluster_bootstrap::found_new() {
    CO_TRY(auto authority, keys_.find_authority(clock_.wall()));
    const auto id = to_hex(os::random_bytes(cluster_id_bytes));
    CO_TRY(auto admin, first_admin());
    if (!authority) {
        auto result = keys_.make_authority(id, clock_.wall());
        if (!result) {
            undo();
            co_return unusable(result.error());
        }
        authority = std::move(*result);
        made_authority_ = true;
    }
    CO_TRY(auto record, co_await found(*authority, id, std::move(admin)));
    CO_CHECK_OK(co_await claim_ledger(record));
    CO_CHECK_OK(co_await mark_claim(record.id));
    CO_CHECK_OK(remember(record));
    co_return bootstrap_result{std::move(record), std::move(*authority), true};
}

async<cluster_bootstrap::bootstrap_result> cluster_bootstrap::enter(
    cluster::cluster_record record, findings findings) {
    CO_TRY(auto authority, authority_of(record));
    if (!findings.in_ledger) {
        CO_CHECK_OK(co_await claim_ledger(record));
    }
    if (!findings.had_ledger) {  // also a cluster from before there was such a mark
        CO_CHECK_OK(co_await mark_claim(record.id));
    }
    if (findings.own.empty()) {
        CO_CHECK_OK(remember(record));
    }
    co_return bootstrap_result{std::move(record), std::move(authority), false};
}

result<void> cluster_bootstrap::remember(const cluster::cluster_record& record) const {
    const auto saved =
        os::save_file({.file = where_.file(cluster_id_file), .text = record.id + "\n"});
    if (!saved) return unusable(saved.error());
    return {};
}

}  // namespace muster::bootstrap
