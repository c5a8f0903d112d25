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

std::unexpected<error> disagreement(std::string message) {
    return fail(errc::conflict, std::move(message));
}

std::unexpected<error> other_ledger(const std::string& theirs, const std::string& ours) {
    return disagreement(fmt::format(
        "the ledger belongs to cluster {}, but the metastore holds cluster {}; check the "
        "settings `ledger` and `metastore`",
        theirs,
        ours));
}

}  // namespace

result<std::string> cluster_bootstrap::read_cluster_id() const {
    auto id = os::load_file(directory_.file(cluster_id_file));
    if (!id && id.error().code() == errc::not_found) return std::string();
    if (id) strip_newline(*id);
    return id;
}

async<std::optional<std::string>> cluster_bootstrap::ledger_cluster() {
    last_engine_ = cluster::engine::ledger;
    table::query query{.table = std::string(cluster::cluster_table), .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    if (page.rows.empty()) co_return std::optional<std::string>();
    table::row_reader reader(cluster::cluster_table, page.rows.front());
    static_cast<void>(reader.take<std::int64_t>("singleton"));
    auto id = reader.take<std::string>("id");
    static_cast<void>(reader.take<wall_time>("made"));
    CO_CHECK_OK(reader.finish());
    co_return std::optional(std::move(id));
}

async<void> cluster_bootstrap::claim_ledger(cluster::cluster_record record) {
    last_engine_ = cluster::engine::ledger;
    table::batch claim;
    claim.writes.push_back(
        {.table = std::string(cluster::cluster_table),
         .rows = {{only_row, record.id, record.made}}});
    CO_CHECK_OK(co_await ledger_.write(std::move(claim)));
    CO_TRY(const auto owner, co_await ledger_cluster());
    if (owner != record.id) co_return other_ledger(owner.value_or("none"), record.id);
    co_return result<void>();
}

async<void> cluster_bootstrap::record_claim(std::string id) {
    last_engine_ = cluster::engine::metastore;
    const std::string claim_key(cluster::keys::ledger_claim);
    kv::transaction change;
    change.when = {kv::absent{claim_key}};
    change.then = {kv::put{.key = claim_key, .value = std::move(id)}};
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));  // not committed: it exists already
    co_return result<void>();
}

result<std::string> cluster_bootstrap::first_password() {
    const auto file = directory_.file(first_password_file);
    auto stored = os::load_file(file);
    if (stored) strip_newline(*stored);
    if (stored && !stored->empty()) return stored;  // from an interrupted start
    auto password = os::random_password();
    const auto saved = os::save_file({.file = file, .text = password + "\n"});
    if (!saved) return directory_error(saved.error());
    created_password_ = true;
    return password;
}

result<people::user_record> cluster_bootstrap::first_admin() {
    // Saves the password before the cluster exists, because it cannot be recovered later.
    TRY(const auto password, first_password());
    TRY(auto hash, os::hash_password(password));
    return people::user_record{
        .name = first_user,
        .password_hash = std::move(hash),
        .grants = {{.role = "admin", .zone = ""}},
        .must_change = true,  // it is in a file and was shown on a terminal
        .made = clock_.wall()};
}

// A disk error is final: no engine is unavailable, so waiting does not help.
std::unexpected<error> cluster_bootstrap::directory_error(const error& failure) const {
    return fail(
        errc::denied,
        fmt::format(
            "the data directory {} cannot be used: {}",
            directory_.path().string(),
            failure.detail()));
}

async<cluster::cluster_record> cluster_bootstrap::write_cluster(
    pki::authority authority, std::string id, people::user_record admin) {
    cluster::cluster_record record{
        .id = std::move(id),
        .authority = authority.certificate().fingerprint().str(),
        .made = clock_.wall()};
    const std::string identity_key(cluster::keys::identity);
    const auto user_key = people::keys::user(first_user);
    kv::transaction change;
    change.when = {kv::absent{identity_key}, kv::absent{user_key}};
    change.then = {
        kv::put{.key = identity_key, .value = encode(record)},
        kv::put{.key = user_key, .value = encode(admin)}};
    last_engine_ = cluster::engine::metastore;
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) co_return record;
    // The existing cluster may be our own: the response of an earlier commit was lost, or another
    // server has the same CA.
    for (const auto& entry : outcome.current) {
        if (entry.key != identity_key) continue;
        CO_TRY(auto winner, cluster::decode_cluster(entry.value));
        if (winner.authority == record.authority) co_return winner;
    }
    undo_creation();
    co_return disagreement(
        "another server has just created a cluster in this metastore; restart to see how to join "
        "that cluster");
}

void cluster_bootstrap::undo_creation() {
    if (std::exchange(created_authority_, false)) keys_.drop_authority();
    std::error_code ignored;
    if (std::exchange(created_password_, false))
        std::filesystem::remove(directory_.file(first_password_file), ignored);
}

result<pki::authority> cluster_bootstrap::find_authority(
    const cluster::cluster_record& record) const {
    TRY(auto authority, keys_.find_authority(clock_.wall()));
    if (authority && authority->certificate().fingerprint().str() == record.authority)
        return std::move(*authority);
    return disagreement(fmt::format(
        "the metastore holds cluster {}, but {} does not contain the CA of that cluster; copy "
        "ca.pem and ca-key.pem from another server, or set another `metastore` to create a new "
        "cluster",
        record.id,
        directory_.path().string()));
}

async<cluster_bootstrap::stored_state> cluster_bootstrap::read_metastore() {
    stored_state state;
    CO_TRY(state.own_id, read_cluster_id());
    last_engine_ = cluster::engine::metastore;
    CO_TRY(const auto identity, co_await metastore_.get(std::string(cluster::keys::identity)));
    if (identity.found) {
        CO_TRY(state.record, cluster::decode_cluster(identity.found->value));
    }
    CO_TRY(const auto claim, co_await metastore_.get(std::string(cluster::keys::ledger_claim)));
    state.had_ledger = claim.found.has_value();
    co_return state;
}

result<void> cluster_bootstrap::compare(const stored_state& state) const {
    if (state.record) return compare(state, *state.record);
    if (!state.own_id.empty())
        return disagreement(fmt::format(
            "{} belongs to cluster {}, but the metastore holds no cluster; check the setting "
            "`metastore`, or restore the backup of the metastore",
            directory_.path().string(),
            state.own_id));
    if (state.ledger_id)
        return disagreement(fmt::format(
            "the ledger belongs to cluster {}, but the metastore holds no cluster; check the "
            "settings `ledger` and `metastore`",
            *state.ledger_id));
    return {};
}

result<void> cluster_bootstrap::compare(
    const stored_state& state, const cluster::cluster_record& record) const {
    if (!state.own_id.empty() && state.own_id != record.id)
        return disagreement(fmt::format(
            "{} belongs to cluster {}, but the metastore holds cluster {}; check the settings "
            "`data` and `metastore`",
            directory_.path().string(),
            state.own_id,
            record.id));
    if (state.ledger_id && *state.ledger_id != record.id)
        return other_ledger(*state.ledger_id, record.id);
    // `cluster-id` is written after the claim of the ledger, so it proves the claim, too.
    if (!state.ledger_id && (state.had_ledger || !state.own_id.empty()))
        return disagreement(fmt::format(
            "cluster {} already has a ledger, but the ledger of the setting `ledger` holds no "
            "cluster; check the setting, or restore the backup of the ledger",
            record.id));
    if (const auto now = clock_.wall(); now + pki::authority::clock_skew < record.made)
        return fail(
            errc::invalid,
            fmt::format(
                "cluster {} was created on {}, but the current time is {}; check the clock",
                record.id,
                pki::to_text(record.made),
                pki::to_text(now)));
    return {};
}

async<void> cluster_bootstrap::check(ca_source source) {
    // Reads the metastore first: once its claim is visible, the row in the ledger is, too.
    CO_TRY(auto state, co_await read_metastore());
    last_engine_ = cluster::engine::ledger;
    CO_TRY(const auto version, co_await ledger_.inspect(schema::ledger_schema()));
    if (version > 0) {
        CO_TRY(state.ledger_id, co_await ledger_cluster());
    }
    CO_CHECK_OK(compare(state));
    CO_TRY(const auto authority, keys_.find_authority(clock_.wall()));
    const bool joins = !authority && source == ca_source::join;
    if (joins && !state.record)
        co_return disagreement(
            "the metastore holds no cluster to join; check the setting `metastore`");
    if (!joins && state.record) {
        CO_CHECK_OK(find_authority(*state.record));
    }
    co_return result<void>();
}

async<cluster_bootstrap::bootstrap_result> cluster_bootstrap::run() {
    CO_TRY(auto state, co_await read_metastore());
    CO_TRY(state.ledger_id, co_await ledger_cluster());
    CO_CHECK_OK(compare(state));
    if (!state.record) co_return co_await create_cluster();
    auto record = *state.record;
    co_return co_await join_existing(std::move(record), std::move(state));
}

async<cluster_bootstrap::bootstrap_result> cluster_bootstrap::create_cluster() {
    CO_TRY(auto authority, keys_.find_authority(clock_.wall()));
    const auto id = to_hex(os::random_bytes(cluster_id_bytes));
    CO_TRY(auto admin, first_admin());
    if (!authority) {
        auto created = keys_.create_authority(id, clock_.wall());
        if (!created) {
            undo_creation();
            co_return directory_error(created.error());
        }
        authority = std::move(*created);
        created_authority_ = true;
    }
    CO_TRY(auto record, co_await write_cluster(*authority, id, std::move(admin)));
    CO_CHECK_OK(co_await claim_ledger(record));
    CO_CHECK_OK(co_await record_claim(record.id));
    CO_CHECK_OK(save_cluster_id(record));
    co_return bootstrap_result{std::move(record), std::move(*authority), true};
}

async<cluster_bootstrap::bootstrap_result> cluster_bootstrap::join_existing(
    cluster::cluster_record record, stored_state state) {
    CO_TRY(auto authority, find_authority(record));
    if (!state.ledger_id) {
        CO_CHECK_OK(co_await claim_ledger(record));
    }
    if (!state.had_ledger) {  // also for clusters from before the claim existed
        CO_CHECK_OK(co_await record_claim(record.id));
    }
    if (state.own_id.empty()) {
        CO_CHECK_OK(save_cluster_id(record));
    }
    co_return bootstrap_result{std::move(record), std::move(authority), false};
}

result<void> cluster_bootstrap::save_cluster_id(const cluster::cluster_record& record) const {
    const auto saved =
        os::save_file({.file = directory_.file(cluster_id_file), .text = record.id + "\n"});
    if (!saved) return directory_error(saved.error());
    return {};
}

}  // namespace muster::bootstrap
