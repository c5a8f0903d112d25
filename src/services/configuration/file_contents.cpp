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
constexpr std::size_t swept_at_once = 50;  // of up to 128 KiB each
constexpr std::size_t digests_max = 5'000'000;

std::string blobs_table() {
    return std::string(config_blobs_table);
}

table::query row_of(std::string_view table, std::string digest) {
    return {
        .table = std::string(table),
        .where = {{.column = "digest", .values = {table::blob{std::move(digest)}}}},
        .limit = 1};
}

// Of the table in which contents were kept before they were counted.
result<std::string> decode_content(const table::row& cells) {
    table::row_reader in(config_contents_table, cells);
    static_cast<void>(in.take<table::blob>("digest"));
    auto read = in.take<table::blob>("content").content;
    CHECK_OK(in.finish());
    return read;
}

}  // namespace

std::int64_t config_file_store::seconds_now() const {
    return std::chrono::floor<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
}

result<config_file_store::blob> config_file_store::decode_blob(const table::row& cells) {
    table::row_reader in(config_blobs_table, cells);
    blob read;
    read.digest = in.take<table::blob>("digest").content;
    read.content = in.take<table::blob>("content").content;
    read.version = in.take<std::int64_t>("version");
    read.kept = in.take<std::int64_t>("kept") != 0;
    read.used = in.take<std::int64_t>("used");
    CHECK_OK(in.finish());
    return read;
}

async<config_file_store::blob> config_file_store::find_blob(std::string digest) const {
    CO_TRY(const auto page, co_await ledger_.read(row_of(blobs_table(), digest)));
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
    CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
    co_return done.changed > 0;
}

// Whoever would forget it has looked at its version before: when this one is written, that is not
// done any more, and when that was faster, this one sees it.
async<void> config_file_store::keep(std::string digest, std::string content) {
    constexpr auto fresh = std::chrono::seconds(unused_time).count() / 2;
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(const auto now, co_await find_blob(digest));
        if (now.kept && now.used > seconds_now() - fresh) co_return result<void>();
        blob blob{
            .digest = digest,
            .content = content,
            .version = now.version + 1,
            .kept = true,
            .used = seconds_now()};
        CO_TRY(const bool written, co_await write_blob(std::move(blob)));
        if (written) co_return result<void>();
    }
    co_return fail(errc::unavailable, "others keep changing the same content; try again");
}

async<std::string> config_file_store::content(std::string digest) const {
    CO_TRY(const auto key, from_hex(digest));
    CO_TRY(auto now, co_await find_blob(key));
    if (now.kept) co_return std::move(now.content);
    CO_TRY(const auto older, co_await ledger_.read(row_of(config_contents_table, key)));
    if (older.rows.empty())
        co_return fail(errc::not_found, "the content of this revision is not there any more");
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
            co_return fail(errc::unavailable, "there are too many files to look through");
        query.after = page.next;
    } while (!query.after.empty());
    co_return used;
}

async<std::size_t> config_file_store::forget_unused(std::set<std::string> used) {
    const auto oldest = seconds_now() - std::chrono::seconds(unused_time).count();
    std::size_t gone = 0;
    table::query query{
        .table = blobs_table(),
        .where =
            {{.column = "used", .compare = table::comparison::less, .values = {oldest}},
             {.column = "kept", .values = {std::int64_t{1}}}},
        .limit = swept_at_once};
    do {
        CO_TRY(const auto page, co_await ledger_.read(query));
        for (const auto& row : page.rows) {
            CO_TRY(auto blob, decode_blob(row));
            if (used.contains(to_hex(blob.digest))) continue;
            blob.content.clear();
            blob.kept = false;
            ++blob.version;
            CO_TRY(const bool written, co_await write_blob(std::move(blob)));
            if (written) ++gone;
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return gone;
}

// What is used first, then what is there: a content that somebody began to use in between has a
// time that is too young.
async<std::size_t> config_file_store::sweep() {
    CO_TRY(auto used, co_await used_digests());
    co_return co_await forget_unused(std::move(used));
}

}  // namespace muster::configuration
