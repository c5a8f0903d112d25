// What files hold: a part of file_book.h.
#include "base/hex.h"
#include "core/table/row_reader.h"
#include "services/configuration/configuration_tables.h"
#include "services/configuration/file_book.h"

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

std::int64_t file_book::seconds_now() const {
    return std::chrono::floor<std::chrono::seconds>(time_.wall().time_since_epoch()).count();
}

result<file_book::blob> file_book::decode_blob(const table::row& cells) {
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

async<file_book::blob> file_book::find_blob(std::string digest) const {
    CO_TRY(const auto page, co_await store_.read(row_of(blobs_table(), digest)));
    if (page.rows.empty()) co_return blob{.digest = std::move(digest)};
    co_return decode_blob(page.rows.front());
}

async<bool> file_book::write_blob(blob wanted) {
    table::batch change;
    change.writes.push_back(
        {.table = blobs_table(),
         .rows = {{
             table::blob{std::move(wanted.digest)},
             table::blob{std::move(wanted.content)},
             wanted.version,
             std::int64_t{wanted.kept ? 1 : 0},
             wanted.used,
         }},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto done, co_await store_.write(std::move(change)));
    co_return done.changed > 0;
}

// Whoever would forget it has looked at its version before: when this one is written, that is not
// done any more, and when that was faster, this one sees it.
async<void> file_book::keep(std::string digest, std::string content) {
    constexpr auto fresh = std::chrono::seconds(unused_time).count() / 2;
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(const auto now, co_await find_blob(digest));
        if (now.kept && now.used > seconds_now() - fresh) co_return result<void>();
        blob wanted{
            .digest = digest,
            .content = content,
            .version = now.version + 1,
            .kept = true,
            .used = seconds_now()};
        CO_TRY(const bool written, co_await write_blob(std::move(wanted)));
        if (written) co_return result<void>();
    }
    co_return fail(errc::unavailable, "others keep changing the same content; try again");
}

async<std::string> file_book::content(std::string digest) const {
    CO_TRY(const auto key, from_hex(digest));
    CO_TRY(auto now, co_await find_blob(key));
    if (now.kept) co_return std::move(now.content);
    CO_TRY(const auto older, co_await store_.read(row_of(config_contents_table, key)));
    if (older.rows.empty())
        co_return fail(errc::not_found, "the content of this revision is not there any more");
    co_return decode_content(older.rows.front());
}

async<std::set<std::string>> file_book::used_digests() const {
    std::set<std::string> used;
    table::query asked{.table = std::string(config_files_table), .limit = page_rows};
    do {
        CO_TRY(const auto page, co_await store_.read(asked));
        for (const auto& each : page.rows) {
            CO_TRY(const auto file, decode_file(each));
            for (const auto& revision : file.revisions) used.insert(revision.digest);
        }
        if (used.size() > digests_max)
            co_return fail(errc::unavailable, "there are too many files to look through");
        asked.after = page.next;
    } while (!asked.after.empty());
    co_return used;
}

async<std::size_t> file_book::forget_unused(std::set<std::string> used) {
    const auto oldest = seconds_now() - std::chrono::seconds(unused_time).count();
    std::size_t gone = 0;
    table::query asked{
        .table = blobs_table(),
        .where =
            {{.column = "used", .compare = table::comparison::less, .values = {oldest}},
             {.column = "kept", .values = {std::int64_t{1}}}},
        .limit = swept_at_once};
    do {
        CO_TRY(const auto page, co_await store_.read(asked));
        for (const auto& each : page.rows) {
            CO_TRY(auto one, decode_blob(each));
            if (used.contains(to_hex(one.digest))) continue;
            one.content.clear();
            one.kept = false;
            ++one.version;
            CO_TRY(const bool written, co_await write_blob(std::move(one)));
            if (written) ++gone;
        }
        asked.after = page.next;
    } while (!asked.after.empty());
    co_return gone;
}

// What is used first, then what is there: a content that somebody began to use in between has a
// time that is too young.
async<std::size_t> file_book::sweep() {
    CO_TRY(auto used, co_await used_digests());
    co_return co_await forget_unused(std::move(used));
}

}  // namespace muster::configuration
