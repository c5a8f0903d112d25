#include "services/content/package_sets.h"

#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "core/table/row_reader.h"
#include "services/content/content_tables.h"

#include <algorithm>
#include <utility>
#include <zstd.h>

namespace muster::content {
namespace {

constexpr int packing_level = 3;
constexpr std::size_t digest_digits = 64;
constexpr std::size_t swept_at_once = 200;

table::query row_of(std::string digest) {
    return {
        .table = std::string(content_sets_table),
        .where = {{.column = "digest", .values = {std::move(digest)}}},
        .limit = 1};
}

result<std::string> pack(std::string_view text) {
    std::string result(ZSTD_compressBound(text.size()), '\0');
    const auto size =
        ZSTD_compress(result.data(), result.size(), text.data(), text.size(), packing_level);
    if (ZSTD_isError(size) != 0U)
        return fail(errc::unavailable, "package list not stored: compression failed");
    result.resize(size);
    return result;
}

// A list of packages as the table `content_sets` has it.
struct stored_set {
    std::string digest;
    std::int64_t packages = 0;
    std::int64_t bytes = 0;  // of the text
    std::string content;     // the text as a zstd frame
    wall_time stored;
};

table::row encode_set(const stored_set& from) {
    return {from.digest, from.packages, from.bytes, table::blob{from.content}, from.stored};
}

result<stored_set> decode_set(const table::row& row) {
    table::row_reader reader(content_sets_table, row);
    stored_set read;
    read.digest = reader.take<std::string>("digest");
    read.packages = reader.take<std::int64_t>("packages");
    read.bytes =
        reader.take_from("bytes", 0, static_cast<std::int64_t>(packages::list_limits::bytes_max));
    read.content = reader.take<table::blob>("content").content;
    read.stored = reader.take<wall_time>("stored");
    CHECK_OK(reader.finish());
    return read;
}

result<packages::package_list> unpack(const stored_set& from) {
    std::string text(static_cast<std::size_t>(from.bytes), '\0');
    const auto size =
        ZSTD_decompress(text.data(), text.size(), from.content.data(), from.content.size());
    if (ZSTD_isError(size) != 0U || size != text.size())
        return fail(errc::corrupt, "stored package list is unreadable");
    return packages::parse_list(text);
}

}  // namespace

bool package_sets::is_digest(std::string_view text) {
    return text.size() == digest_digits
           && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

list_ref package_sets::take_kept(const std::string& digest) {
    const std::lock_guard lock(mutex_);
    const auto it = kept_.find(digest);
    if (it == kept_.end()) return nullptr;
    it->second.used = ++uses_;
    return it->second.list;
}

void package_sets::keep(const std::string& digest, list_ref list) {
    const std::lock_guard lock(mutex_);
    const auto size = list->all.size();
    if (!kept_.try_emplace(digest, kept{.list = std::move(list), .used = ++uses_}).second) return;
    kept_packages_ += size;
    while (kept_packages_ > kept_packages_max && kept_.size() > 1) {
        const auto oldest =
            std::ranges::min_element(kept_, {}, [](const auto& each) { return each.second.used; });
        kept_packages_ -= oldest->second.list->all.size();
        kept_.erase(oldest);
    }
}

async<list_ref> package_sets::find(std::string digest) {
    if (!is_digest(digest)) co_return fail(errc::not_found, "system does not report packages");
    if (auto existing = take_kept(digest)) co_return existing;
    CO_TRY(const auto page, co_await ledger_.read(row_of(digest)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "system has not reported its packages yet");
    CO_TRY(const auto set, decode_set(page.rows.front()));
    CO_TRY(auto read, unpack(set));
    auto result = std::make_shared<const packages::package_list>(std::move(read));
    keep(digest, result);
    co_return result;
}

async<bool> package_sets::knows(std::string digest) {
    CO_TRY(auto page, co_await ledger_.read(row_of(std::move(digest))));
    if (page.rows.empty()) co_return false;
    CO_TRY(auto set, decode_set(page.rows.front()));
    if (set.stored > clock_.wall() - unused_time / 2) co_return true;
    set.stored = clock_.wall();
    table::batch change;
    change.writes.push_back(
        {.table = std::string(content_sets_table),
         .rows = {encode_set(set)},
         .existing = table::replace{}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return true;
}

async<std::size_t> package_sets::sweep(std::function<bool(const std::string&)> used) {
    table::query query{
        .table = std::string(content_sets_table),
        .where =
            {{.column = "stored",
              .compare = table::comparison::less,
              .values = {clock_.wall() - unused_time}}},
        .limit = swept_at_once};
    std::size_t gone = 0;
    do {
        CO_TRY(auto page, co_await ledger_.read(query));
        table::erasure unused{.table = std::string(content_sets_table), .keys = {}};
        for (auto& row : page.rows) {
            const auto set = decode_set(row);
            if (set && !used(set->digest)) unused.keys.push_back({set->digest});
        }
        query.after = page.next;
        gone += unused.keys.size();
        if (unused.keys.empty()) continue;
        table::batch change;
        change.erasures.push_back(std::move(unused));
        CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    } while (!query.after.empty());
    co_return gone;
}

async<void> package_sets::put(std::string digest, std::string text) {
    if (to_hex(pki::sha256(text)) != digest)
        co_return fail(errc::invalid, "digest of the package list does not match");
    CO_TRY(const auto list, packages::parse_list(text));
    CO_TRY(auto packed, pack(text));
    const stored_set set{
        .digest = std::move(digest),
        .packages = static_cast<std::int64_t>(list.all.size()),
        .bytes = static_cast<std::int64_t>(text.size()),
        .content = std::move(packed),
        .stored = clock_.wall()};
    table::batch change;
    change.writes.push_back(
        {.table = std::string(content_sets_table),
         .rows = {encode_set(set)},
         .existing = table::keep_existing{}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::content
