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
constexpr std::size_t holders_per_query = 500;
constexpr std::size_t page_rows = 1'000;

std::string files_table() {
    return std::string(config_files_table);
}

std::unexpected<error> file_not_found(const std::string& path) {
    return fail(errc::not_found, "configuration file \"" + path + "\" not found");
}

// Whether a new revision would say nothing new.
bool has_same_content(const file_revision& one, file_revision other) {
    other.revision = one.revision;
    other.made = one.made;
    other.by = one.by;
    return one == other;
}

result<void> assign_number(file_revision& revision, const config_file& file) {
    const auto next = file.last_revision + 1;
    if (revision.revision == 0) revision.revision = next;
    if (revision.revision >= next && revision.revision <= INT32_MAX) return {};
    return fail(
        errc::conflict,
        fmt::format(
            "latest revision of \"{}\" is {}; the next revision must be at least {}",
            file.path,
            file.last_revision,
            next));
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

async<config_file> config_file_store::read_row(std::string holder, std::string path) const {
    table::query query{
        .table = files_table(),
        .where =
            {{.column = "holder", .compare = table::comparison::equal, .values = {holder}},
             {.column = "path", .compare = table::comparison::equal, .values = {path}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    if (page.rows.empty()) {
        config_file missing{.holder = std::move(holder), .path = std::move(path), .revisions = {}};
        missing.removed = true;
        co_return missing;
    }
    co_return decode_file(page.rows.front());
}

async<config_file> config_file_store::read(std::string holder, std::string path) const {
    CO_TRY(auto file, co_await read_row(std::move(holder), path));
    if (file.removed) co_return file_not_found(path);
    co_return file;
}

async<config_file_store::by_holder> config_file_store::list_all(
    std::vector<std::string> holders) const {
    by_holder files;
    for (std::size_t start = 0; start < holders.size(); start += holders_per_query) {
        table::condition condition{.column = "holder", .compare = table::comparison::one_of};
        for (auto index = start; index < std::min(start + holders_per_query, holders.size());
             ++index)
            condition.values.emplace_back(holders[index]);
        table::query query{
            .table = files_table(), .where = {std::move(condition)}, .limit = page_rows};
        do {
            CO_TRY(const auto page, co_await ledger_.read(query));
            for (const auto& row : page.rows) {
                CO_TRY(auto file, decode_file(row));
                if (!file.removed) files[file.holder].push_back(std::move(file));
            }
            query.after = page.next;
        } while (!query.after.empty());
    }
    co_return files;
}

async<std::vector<config_file>> config_file_store::list(std::string holder) const {
    std::vector<std::string> holders{holder};
    CO_TRY(auto files, co_await list_all(std::move(holders)));
    co_return std::move(files[holder]);
}

async<void> config_file_store::write(std::vector<config_file> files) {
    table::write rows{
        .table = files_table(), .rows = {}, .existing = table::replace_if_grows{"version"}};
    for (const auto& file : files) rows.rows.push_back(encode_file(file));
    table::batch change;
    change.writes.push_back(std::move(rows));
    CO_TRY(const auto outcome, co_await ledger_.write(std::move(change)));
    if (outcome.changed == files.size()) co_return result<void>();
    co_return fail(errc::conflict, "configuration files were modified concurrently; retry");
}

// Stores the content first: a revision never names a missing content.
async<config_file> config_file_store::put(
    std::string holder, std::string path, new_revision new_revision) {
    CO_CHECK_OK(check_path(path));
    CO_CHECK_OK(check(new_revision.how));
    if (new_revision.content.size() > file_limits::content_bytes_max)
        co_return fail(errc::invalid, "configuration file is larger than 131072 bytes");
    new_revision.how.made = clock_.wall();
    if (new_revision.how.kind == file_kind::file || new_revision.how.kind == file_kind::sls) {
        const auto digest = pki::sha256(new_revision.content);
        new_revision.how.digest = to_hex(digest);
        new_revision.how.size = static_cast<std::int64_t>(new_revision.content.size());
        CO_CHECK_OK(co_await store_content(std::string(digest), std::move(new_revision.content)));
    }
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(auto current, co_await read_row(holder, path));
        if (current.removed) {
            CO_TRY(const auto others, co_await list(holder));
            if (others.size() >= file_limits::files_max)
                co_return fail(errc::conflict, "limit of 1000 configuration files reached");
        } else if (
            has_same_content(current.newest(), new_revision.how)
            && new_revision.how.revision == 0) {
            co_return current;
        }
        auto next = new_revision.how;
        CO_CHECK_OK(assign_number(next, current));
        current.last_revision = next.revision;
        if (current.removed) current.revisions.clear();
        current.revisions.push_back(std::move(next));
        if (current.revisions.size() > file_limits::revisions_max)
            current.revisions.erase(current.revisions.begin());
        current.removed = false;
        ++current.version;
        current.changed = clock_.wall();
        std::vector<config_file> config_files{current};
        const auto written = co_await write(std::move(config_files));
        if (written) co_return current;
        if (written.error().code() != errc::conflict) co_return fail(written.error());
    }
    co_return fail(
        errc::unavailable, "configuration file \"" + path + "\" was modified concurrently; retry");
}

async<void> config_file_store::remove(std::string holder, std::vector<std::string> paths) {
    std::vector<config_file> removed;
    std::ranges::sort(paths);
    const auto repeated = std::ranges::unique(paths);
    paths.erase(repeated.begin(), repeated.end());
    for (const auto& path : paths) {
        CO_TRY(auto file, co_await read(holder, path));
        file.removed = true;
        file.revisions.clear();
        ++file.version;
        file.changed = clock_.wall();
        removed.push_back(std::move(file));
    }
    if (removed.empty()) co_return result<void>();
    co_return co_await write(std::move(removed));
}

async<void> config_file_store::remove_all(std::string holder) {
    CO_TRY(const auto files, co_await list(holder));
    std::vector<std::string> paths;
    for (const auto& file : files) paths.push_back(file.path);
    co_return co_await remove(std::move(holder), std::move(paths));
}

}  // namespace muster::configuration
