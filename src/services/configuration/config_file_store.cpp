#include "services/configuration/config_file_store.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "services/configuration/configuration_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::configuration {
namespace {

constexpr int attempts_max = 10;
constexpr std::size_t holders_at_once = 500;
constexpr std::size_t page_rows = 1'000;

std::string files_table() {
    return std::string(config_files_table);
}

std::unexpected<error> no_file(const std::string& path) {
    return fail(errc::not_found, "There is no configuration file " + path);
}

// Whether a new revision would say nothing new.
bool says_the_same(const file_revision& one, file_revision other) {
    other.revision = one.revision;
    other.made = one.made;
    other.by = one.by;
    return one == other;
}

result<void> number(file_revision& file_revision, const config_file& in) {
    const auto next = in.last_revision + 1;
    if (file_revision.revision == 0) file_revision.revision = next;
    if (file_revision.revision >= next && file_revision.revision <= INT32_MAX) return {};
    return fail(
        errc::conflict,
        fmt::format("{} has a revision {}; the next one is {}", in.path, in.last_revision, next));
}

}  // namespace

std::string held_by_channel(std::int64_t number) {
    return fmt::format("channel/{}", number);
}

std::string held_by_system(std::int64_t number) {
    return fmt::format("system/{}", number);
}

std::string sandbox_of_system(std::int64_t number) {
    return fmt::format("sandbox/{}", number);
}

async<config_file> config_file_store::look_up(std::string holder, std::string path) const {
    table::query query{
        .table = files_table(),
        .where =
            {{.column = "holder", .compare = table::comparison::equal, .values = {holder}},
             {.column = "path", .compare = table::comparison::equal, .values = {path}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    if (page.rows.empty()) {
        config_file none{.holder = std::move(holder), .path = std::move(path), .revisions = {}};
        none.removed = true;
        co_return none;
    }
    co_return decode_file(page.rows.front());
}

async<config_file> config_file_store::read(std::string holder, std::string path) const {
    CO_TRY(auto match, co_await look_up(std::move(holder), path));
    if (match.removed) co_return no_file(path);
    co_return match;
}

async<config_file_store::by_holder> config_file_store::list_all(
    std::vector<std::string> holders) const {
    by_holder all;
    for (std::size_t at = 0; at < holders.size(); at += holders_at_once) {
        table::condition some{.column = "holder", .compare = table::comparison::one_of};
        for (auto next = at; next < std::min(at + holders_at_once, holders.size()); ++next)
            some.values.emplace_back(holders[next]);
        table::query query{.table = files_table(), .where = {std::move(some)}, .limit = page_rows};
        do {
            CO_TRY(const auto page, co_await ledger_.read(query));
            for (const auto& row : page.rows) {
                CO_TRY(auto file, decode_file(row));
                if (!file.removed) all[file.holder].push_back(std::move(file));
            }
            query.after = page.next;
        } while (!query.after.empty());
    }
    co_return all;
}

async<std::vector<config_file>> config_file_store::list(std::string holder) const {
    std::vector<std::string> one{holder};
    CO_TRY(auto all, co_await list_all(std::move(one)));
    co_return std::move(all[holder]);
}

async<void> config_file_store::write(std::vector<config_file> files) {
    table::write rows{
        .table = files_table(), .rows = {}, .existing = table::replace_if_grows{"version"}};
    for (const auto& file : files) rows.rows.push_back(encode_file(file));
    table::batch change;
    change.writes.push_back(std::move(rows));
    CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
    if (done.changed == files.size()) co_return result<void>();
    co_return fail(errc::conflict, "somebody else has just changed the same files; look again");
}

// The content first: a revision never names one that is not there.
async<config_file> config_file_store::put(
    std::string holder, std::string path, new_revision new_revision) {
    CO_CHECK_OK(check_path(path));
    CO_CHECK_OK(check(new_revision.how));
    if (new_revision.content.size() > file_limits::content_bytes_max)
        co_return fail(errc::invalid, "a configuration file has at most 131072 bytes");
    new_revision.how.made = clock_.wall();
    if (new_revision.how.kind == file_kind::file || new_revision.how.kind == file_kind::sls) {
        const auto digest = pki::sha256(new_revision.content);
        new_revision.how.digest = to_hex(digest);
        new_revision.how.size = static_cast<std::int64_t>(new_revision.content.size());
        CO_CHECK_OK(co_await keep(std::string(digest), std::move(new_revision.content)));
    }
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(auto now, co_await look_up(holder, path));
        if (now.removed) {
            CO_TRY(const auto others, co_await list(holder));
            if (others.size() >= file_limits::files_max)
                co_return fail(errc::conflict, "there are 1000 files already");
        } else if (
            says_the_same(now.newest(), new_revision.how) && new_revision.how.revision == 0) {
            co_return now;
        }
        auto next = new_revision.how;
        CO_CHECK_OK(number(next, now));
        now.last_revision = next.revision;
        if (now.removed) now.revisions.clear();
        now.revisions.push_back(std::move(next));
        if (now.revisions.size() > file_limits::revisions_max)
            now.revisions.erase(now.revisions.begin());
        now.removed = false;
        ++now.version;
        now.changed = clock_.wall();
        std::vector<config_file> config_files{now};
        const auto done = co_await write(std::move(config_files));
        if (done) co_return now;
        if (done.error().code() != errc::conflict) co_return fail(done.error());
    }
    co_return fail(errc::unavailable, "others keep changing " + path + "; try again");
}

async<void> config_file_store::remove(std::string holder, std::vector<std::string> paths) {
    std::vector<config_file> gone;
    std::ranges::sort(paths);
    const auto repeated = std::ranges::unique(paths);
    paths.erase(repeated.begin(), repeated.end());
    for (const auto& path : paths) {
        CO_TRY(auto one, co_await read(holder, path));
        one.removed = true;
        one.revisions.clear();
        ++one.version;
        one.changed = clock_.wall();
        gone.push_back(std::move(one));
    }
    if (gone.empty()) co_return result<void>();
    co_return co_await write(std::move(gone));
}

async<void> config_file_store::remove_all(std::string holder) {
    CO_TRY(const auto all, co_await list(holder));
    std::vector<std::string> paths;
    for (const auto& each : all) paths.push_back(each.path);
    co_return co_await remove(std::move(holder), std::move(paths));
}

}  // namespace muster::configuration
