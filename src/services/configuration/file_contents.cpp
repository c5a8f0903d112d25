// What files hold: a part of config_file_store.h.
#include "base/hex.h"
#include "core/table/row_reader.h"
#include "services/configuration/config_file_store.h"
#include "services/configuration/configuration_tables.h"

#include <chrono>
#include <utility>

namespace muster::configuration {
namespace {

constexpr int attempts_max = 10;
constexpr std::size_t page_rows = 1'000;
constexpr std::size_t contents_per_page = 50;  // of up to 128 KiB each
constexpr std::size_t digests_max = 5'000'000;

std::string blobs_table() {
    return std::string(config_blobs_table);
}

table::query digest_query(std::string_view table, std::string digest) {
    return {
        .table = std::string(table),
        .where = {{.column = "digest", .values = {table::blob{std::move(digest)}}}},
        .limit = 1};
}

// Of the table in which contents were kept before they were counted.
result<std::string> decode_content(const table::row& row) {
    table::row_reader reader(config_contents_table, row);
    static_cast<void>(reader.take<table::blob>("digest"));
    auto content = reader.take<table::blob>("content").content;
    CHECK_OK(reader.finish());
    return content;
}

}  // namespace

std::int64_t config_file_store::seconds_now() const {
    return std::chrono::floor<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
}

result<config_file_store::blob> config_file_store::decode_blob(const table::row& row) {
    table::row_reader reader(config_blobs_table, row);
    blob decoded;
    decoded.digest = reader.take<table::blob>("digest").content;
    decoded.content = reader.take<table::blob>("content").content;
    decoded.version = reader.take<std::int64_t>("version");
    decoded.kept = reader.take<std::int64_t>("kept") != 0;
    decoded.used = reader.take<std::int64_t>("used");
    CHECK_OK(reader.finish());
    return decoded;
}

async<config_file_store::blob> config_file_store::find_blob(std::string digest) const {
    CO_TRY(const auto page, co_await ledger_.read(digest_query(blobs_table(), digest)));
    if (page.rows.empty()) co_return blob{.digest = std::move(digest)};
    co_return decode_blob(page.rows.front());
}

async<bool> config_file_store::write_blob(blob blob) {
    table::batch change;
    change.writes.push_back(
        {.table = blobs_table(),
         .rows = {{
             table::blob{std::move(blob.digest)},
             table::blob{std::move(blob.content)},
             blob.version,
             std::int64_t{blob.kept ? 1 : 0},
             blob.used,
         }},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto outcome, co_await ledger_.write(std::move(change)));
    co_return outcome.changed > 0;
}

// The version orders this write and a concurrent deletion: only one of them succeeds, and the loser
// reads the row again.
async<void> config_file_store::store_content(std::string digest, std::string content) {
    constexpr auto refresh_after = std::chrono::seconds(unused_time).count() / 2;
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(const auto current, co_await find_blob(digest));
        if (current.kept && current.used > seconds_now() - refresh_after) co_return result<void>();
        blob blob{
            .digest = digest,
            .content = content,
            .version = current.version + 1,
            .kept = true,
            .used = seconds_now()};
        CO_TRY(const bool written, co_await write_blob(std::move(blob)));
        if (written) co_return result<void>();
    }
    co_return fail(errc::unavailable, "file content was modified concurrently; retry");
}

async<std::string> config_file_store::content(std::string digest) const {
    CO_TRY(const auto key, from_hex(digest));
    CO_TRY(auto stored, co_await find_blob(key));
    if (stored.kept) co_return std::move(stored.content);
    CO_TRY(const auto older, co_await ledger_.read(digest_query(config_contents_table, key)));
    if (older.rows.empty())
        co_return fail(errc::not_found, "content of this file revision not found");
    co_return decode_content(older.rows.front());
}

async<std::set<std::string>> config_file_store::used_digests() const {
    std::set<std::string> used;
    table::query query{.table = std::string(config_files_table), .limit = page_rows};
    do {
        CO_TRY(const auto page, co_await ledger_.read(query));
        for (const auto& row : page.rows) {
            CO_TRY(const auto file, decode_file(row));
            for (const auto& revision : file.revisions) used.insert(revision.digest);
        }
        if (used.size() > digests_max)
            co_return fail(errc::unavailable, "too many configuration files for content pruning");
        query.after = page.next;
    } while (!query.after.empty());
    co_return used;
}

async<std::size_t> config_file_store::delete_unused(std::set<std::string> used) {
    const auto oldest = seconds_now() - std::chrono::seconds(unused_time).count();
    std::size_t deleted = 0;
    table::query query{
        .table = blobs_table(),
        .where =
            {{.column = "used", .compare = table::comparison::less, .values = {oldest}},
             {.column = "kept", .values = {std::int64_t{1}}}},
        .limit = contents_per_page};
    do {
        CO_TRY(const auto page, co_await ledger_.read(query));
        for (const auto& row : page.rows) {
            CO_TRY(auto blob, decode_blob(row));
            if (used.contains(to_hex(blob.digest))) continue;
            blob.content.clear();
            blob.kept = false;
            ++blob.version;
            CO_TRY(const bool written, co_await write_blob(std::move(blob)));
            if (written) ++deleted;
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return deleted;
}

// Reads the used digests first. A content that comes into use meanwhile has a recent time and is
// kept.
async<std::size_t> config_file_store::prune_contents() {
    CO_TRY(auto used, co_await used_digests());
    co_return co_await delete_unused(std::move(used));
}

}  // namespace muster::configuration
