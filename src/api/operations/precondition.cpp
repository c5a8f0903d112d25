#include "api/operations/precondition.h"

#include "adapters/pki/fingerprint.h"
#include "api/operations/response_expansion.h"
#include "base/hex.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::size_t etag_bytes = 12;

const registry::entry* find_read(const registry& operations, std::string_view path) {
    const auto& entries = operations.all();
    const auto it = std::ranges::find_if(entries, [&](const registry::entry& entry) {
        return entry.operation.method == api::verb::get && !entry.operation.streams
               && entry.operation.path == path;
    });
    return it == entries.end() ? nullptr : &*it;
}

// The member that grows with each change; null: there is none.
const json::value* version_of(const json::value& content) {
    const auto* const object = content.if_object();
    if (object == nullptr) return nullptr;
    for (const auto* const name : {"version", "revision"}) {
        const auto* const version = object->if_contains(name);
        if (version != nullptr && version->is_number()) return version;
    }
    return nullptr;
}

// Whether the list (`"a", "b"` or `*`) contains the quoted tag.
bool lists_etag(std::string_view condition, std::string_view quoted) {
    while (!condition.empty()) {
        const auto end = std::min(condition.find(','), condition.size());
        auto item = condition.substr(0, end);
        condition.remove_prefix(std::min(end + 1, condition.size()));
        while (item.starts_with(' ')) item.remove_prefix(1);
        while (item.ends_with(' ')) item.remove_suffix(1);
        if (item == quoted || item == "*") return true;
    }
    return false;
}

reply precondition_failed(const std::string& etag, const json::value* version) {
    json::object problem{
        {"type", "about:blank"},
        {"title", "Precondition Failed"},
        {"status", 412},
        {"detail",
         "record was modified since the caller read it (If-Match); read the record again"},
        {"etag", etag}};
    if (version != nullptr) problem["version"] = *version;
    return reply{
        .content = {},
        .fields = {{"ETag", etag}},
        .recorded = false,
        .status = 412,
        .stream = nullptr,
        .raw =
            reply::document{.media = "application/problem+json", .body = json::serialize(problem)}};
}

}  // namespace

std::string etag_of(std::string_view body) {
    return '"' + to_hex(pki::sha256(body).substr(0, etag_bytes)) + '"';
}

const registry::entry* find_record_read(const registry& operations, const api::operation& change) {
    std::string_view path = change.path;
    if (!path.ends_with('}')) path = path.substr(0, path.rfind('/'));
    return path.ends_with('}') ? find_read(operations, path) : nullptr;
}

async<std::optional<reply>> check_precondition(const registry& operations, call request) {
    const auto condition = request.if_match;
    const auto* const read = find_record_read(operations, request.operation());
    if (read == nullptr)
        co_return fail(errc::invalid, request.operation().name + " does not support If-Match");
    call read_call(
        read->operation, request.caller(), path_arguments(read->operation, request.arguments()));
    CO_TRY(const auto current, co_await operations.perform(*read, std::move(read_call)));
    const auto etag = etag_of(json::serialize(current.content));
    const auto* const version = version_of(current.content);
    if (lists_etag(condition, etag)) co_return std::optional<reply>();
    if (version != nullptr && lists_etag(condition, '"' + json::serialize(*version) + '"'))
        co_return std::optional<reply>();
    co_return std::optional(precondition_failed(etag, version));
}

}  // namespace muster::api
