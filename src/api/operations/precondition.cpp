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

const registry::entry* reading_at(const registry& all, std::string_view path) {
    const auto& every = all.all();
    const auto it = std::ranges::find_if(every, [&](const registry::entry& entry) {
        return entry.what.method == api::verb::get && !entry.what.streams
               && entry.what.path == path;
    });
    return it == every.end() ? nullptr : &*it;
}

// What a record counts up with every change; null: nothing.
const json::value* version_of(const json::value& content) {
    const auto* const object = content.if_object();
    if (object == nullptr) return nullptr;
    for (const auto* const name : {"version", "revision"}) {
        const auto* const found = object->if_contains(name);
        if (found != nullptr && found->is_number()) return found;
    }
    return nullptr;
}

// Whether one of a list such as `"a", "b"` is the one.
bool names(std::string_view condition, std::string_view quoted) {
    while (!condition.empty()) {
        const auto end = std::min(condition.find(','), condition.size());
        auto one = condition.substr(0, end);
        condition.remove_prefix(std::min(end + 1, condition.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (one == quoted || one == "*") return true;
    }
    return false;
}

reply changed_since(const std::string& etag, const json::value* version) {
    json::object response{
        {"type", "about:blank"},
        {"title", "Precondition Failed"},
        {"status", 412},
        {"detail", "it was changed since you read it (If-Match): read it again"},
        {"etag", etag}};
    if (version != nullptr) response["version"] = *version;
    return reply{
        .content = {},
        .fields = {{"ETag", etag}},
        .recorded = false,
        .status = 412,
        .stream = nullptr,
        .other = reply::document{
            .media = "application/problem+json", .body = json::serialize(response)}};
}

}  // namespace

std::string etag_of(std::string_view body) {
    return '"' + to_hex(pki::sha256(body).substr(0, etag_bytes)) + '"';
}

const registry::entry* record_of(const registry& all, const api::operation& change) {
    std::string_view path = change.path;
    if (!path.ends_with('}')) path = path.substr(0, path.rfind('/'));
    return path.ends_with('}') ? reading_at(all, path) : nullptr;
}

async<std::optional<reply>> unmet_condition(const registry& all, call request) {
    const auto condition = request.if_match;
    const auto* const record = record_of(all, request.operation());
    if (record == nullptr)
        co_return fail(
            errc::invalid,
            request.operation().name + " changes no record that If-Match could be compared with");
    call looking(record->what, request.who(), path_arguments(record->what, request.arguments()));
    CO_TRY(const auto now, co_await all.perform(*record, std::move(looking)));
    const auto etag = etag_of(json::serialize(now.content));
    const auto* const version = version_of(now.content);
    if (names(condition, etag)) co_return std::optional<reply>();
    if (version != nullptr && names(condition, '"' + json::serialize(*version) + '"'))
        co_return std::optional<reply>();
    co_return std::optional(changed_since(etag, version));
}

}  // namespace muster::api
