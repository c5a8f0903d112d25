#include "api/operations/idempotency_store.h"

#include "base/hex.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

// Reservations are small, so that those of a user can be counted. Responses have their own keys.
constexpr std::string_view reservations = "request-claims/";
constexpr std::string_view responses = "request-answers/";

constexpr std::string_view state_begun = "begun";
constexpr std::string_view state_completed = "answered";
constexpr std::string_view state_discarded = "unanswered";  // done, response not stored

// Names and keys may hold any bytes, including a slash.
std::string user_prefix(const idempotency_store::request& request) {
    return std::string(reservations) + to_hex(request.user) + "/";
}

std::string reservation_key(const idempotency_store::request& request) {
    return user_prefix(request) + to_hex(request.key);
}

std::string response_key(const idempotency_store::request& request) {
    return std::string(responses) + to_hex(request.user) + "/" + to_hex(request.key);
}

std::string encode(const idempotency_store::request& request, std::string_view state) {
    return json::serialize(json::object{
        {"operation", request.operation},
        {"digest", request.digest},
        {"state", json::string_view(state.data(), state.size())}});
}

std::string encode(const idempotency_store::stored_response& stored_response) {
    json::array names;
    json::array values;
    for (const auto& [name, text] : stored_response.fields) {
        names.emplace_back(name);
        values.emplace_back(text);
    }
    return json::serialize(json::object{
        {"status", stored_response.status},
        {"content", stored_response.content},
        {"fields", std::move(names)},
        {"texts", std::move(values)}});
}

result<idempotency_store::stored_response> decode_response(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("idempotency response", text));
    idempotency_store::stored_response stored_response{
        .status = static_cast<unsigned>(reader.integer("status")),
        .content = reader.text("content")};
    const auto names = reader.list("fields");
    const auto values = reader.list("texts");
    if (names.size() != values.size()) reader.mark_wrong("texts");
    for (std::size_t index = 0; index < std::min(names.size(), values.size()); ++index)
        stored_response.fields.emplace_back(names[index], values[index]);
    return reader.finish(std::move(stored_response));
}

}  // namespace

async<void> idempotency_store::check_key_count(request request) {
    kv::range_request count_request{.prefix = user_prefix(request), .limit = keys_per_user_max};
    CO_TRY(const auto page, co_await metastore_.range(std::move(count_request)));
    if (page.entries.size() < keys_per_user_max) co_return result<void>();
    co_return fail(
        errc::unavailable,
        fmt::format(
            "limit of {} Idempotency-Keys in {} hours reached for user \"{}\"; retry later or omit "
            "the key",
            keys_per_user_max,
            std::chrono::duration_cast<std::chrono::hours>(lifetime).count(),
            request.user));
}

async<idempotency_store::reservation> idempotency_store::check_existing(
    request request, std::string stored) {
    CO_TRY(auto reader, runtime::json_record_reader::parse("idempotency reservation", stored));
    const auto operation = reader.text("operation");
    const auto digest = reader.text("digest");
    const auto state = reader.text("state");
    CO_CHECK_OK(reader.finish(true));
    if (operation != request.operation || digest != request.digest)
        co_return fail(
            errc::conflict, "Idempotency-Key was already used for another request; use a new key");
    if (state == state_begun)
        co_return fail(
            errc::conflict,
            "request with this Idempotency-Key is in progress or its result is unknown; check its "
            "effect before using a new key");
    CO_TRY(const auto response_entry, co_await metastore_.get(response_key(request)));
    if (state == state_discarded || !response_entry.found)
        co_return fail(
            errc::conflict,
            "request with this Idempotency-Key succeeded; its response was not stored because it "
            "contains a secret or is too large");
    CO_TRY(auto response, decode_response(response_entry.found->value));
    co_return reservation{.lease = {}, .earlier_response = std::move(response)};
}

async<idempotency_store::reservation> idempotency_store::reserve(request request) {
    if (request.key.size() > key_bytes_max)
        co_return fail(
            errc::invalid, fmt::format("Idempotency-Key exceeds {} bytes", key_bytes_max));
    const auto key = reservation_key(request);
    CO_TRY(const auto stored, co_await metastore_.get(key));
    if (stored.found) co_return co_await check_existing(std::move(request), stored.found->value);
    CO_CHECK_OK(co_await check_key_count(request));
    CO_TRY(const auto lease, co_await metastore_.grant(lifetime));
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(
        kv::put{.key = key, .value = encode(request, state_begun), .lease = lease});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) co_return reservation{.lease = lease};
    ignore_error(co_await metastore_.revoke(lease), "the lease is unused and expires");
    if (outcome.current.empty())
        co_return fail(errc::unavailable, "Idempotency-Key reservation expired; retry");
    co_return co_await check_existing(std::move(request), outcome.current.front().value);
}

async<void> idempotency_store::complete(
    request request, kv::lease_id lease, std::optional<stored_response> stored_response) {
    if (stored_response && stored_response->content.size() > response_bytes_max)
        stored_response.reset();
    kv::transaction change;
    const auto key = reservation_key(request);
    change.when.emplace_back(kv::present{key});
    const auto state = stored_response ? state_completed : state_discarded;
    change.then.emplace_back(kv::put{.key = key, .value = encode(request, state), .lease = lease});
    if (stored_response)
        change.then.emplace_back(kv::put{
            .key = response_key(request), .value = encode(*stored_response), .lease = lease});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    co_return result<void>();
}

async<void> idempotency_store::release(kv::lease_id lease) {
    co_return co_await metastore_.revoke(lease);
}

}  // namespace muster::api
