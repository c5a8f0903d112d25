#include "api/operations/idempotency_store.h"

#include "base/hex.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

// Claims are small, so that somebody's can be counted; answers stand apart.
constexpr std::string_view claims = "request-claims/";
constexpr std::string_view answers = "request-answers/";

constexpr std::string_view begun = "begun";
constexpr std::string_view answered = "answered";
constexpr std::string_view unanswered = "unanswered";  // done, and its answer is not kept

// Names and keys may hold any bytes, a slash too.
std::string all_of(const idempotency_store::request& request) {
    return std::string(claims) + to_hex(request.user) + "/";
}

std::string claim_key(const idempotency_store::request& request) {
    return all_of(request) + to_hex(request.key);
}

std::string answer_key(const idempotency_store::request& request) {
    return std::string(answers) + to_hex(request.user) + "/" + to_hex(request.key);
}

std::string encode(const idempotency_store::request& request, std::string_view state) {
    return json::serialize(json::object{
        {"operation", request.operation},
        {"digest", request.digest},
        {"state", json::string_view(state.data(), state.size())}});
}

std::string encode(const idempotency_store::answer& answer) {
    json::array names;
    json::array texts;
    for (const auto& [name, text] : answer.fields) {
        names.emplace_back(name);
        texts.emplace_back(text);
    }
    return json::serialize(json::object{
        {"status", answer.status},
        {"content", answer.content},
        {"fields", std::move(names)},
        {"texts", std::move(texts)}});
}

result<idempotency_store::answer> decode_answer(std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("answer of a request", text));
    idempotency_store::answer read{
        .status = static_cast<unsigned>(in.integer("status")), .content = in.text("content")};
    const auto names = in.list("fields");
    const auto texts = in.list("texts");
    if (names.size() != texts.size()) in.mark_wrong("texts");
    for (std::size_t at = 0; at < std::min(names.size(), texts.size()); ++at)
        read.fields.emplace_back(names[at], texts[at]);
    return in.finish(std::move(read));
}

}  // namespace

async<void> idempotency_store::check_number(request request) {
    kv::range_request counting{.prefix = all_of(request), .limit = of_person_max};
    CO_TRY(const auto page, co_await metastore_.range(std::move(counting)));
    if (page.entries.size() < of_person_max) co_return result<void>();
    co_return fail(
        errc::unavailable,
        fmt::format(
            "{} has used {} Idempotency-Keys within the last {} hours; wait, or send this without "
            "one",
            request.user,
            of_person_max,
            std::chrono::duration_cast<std::chrono::hours>(lifetime).count()));
}

async<idempotency_store::claim> idempotency_store::look_at(request request, std::string stored) {
    CO_TRY(auto in, runtime::json_record_reader::of("claim of a request", stored));
    const auto operation = in.text("operation");
    const auto digest = in.text("digest");
    const auto state = in.text("state");
    CO_CHECK_OK(in.finish(true));
    if (operation != request.operation || digest != request.digest)
        co_return fail(
            errc::conflict, "this Idempotency-Key was used for another request; choose a new one");
    if (state == begun)
        co_return fail(
            errc::conflict,
            "the first request with this Idempotency-Key is under way, or nobody knows how it "
            "ended: look whether it was done before you choose a new one");
    CO_TRY(const auto there, co_await metastore_.get(answer_key(request)));
    if (state == unanswered || !there.found)
        co_return fail(
            errc::conflict,
            "the first request with this Idempotency-Key was done; its answer holds a secret or is "
            "too large, and is not kept");
    CO_TRY(auto read, decode_answer(there.found->value));
    co_return claim{.lease = {}, .before = std::move(read)};
}

async<idempotency_store::claim> idempotency_store::take(request request) {
    if (request.key.size() > key_bytes_max)
        co_return fail(
            errc::invalid, fmt::format("an Idempotency-Key has {} bytes at most", key_bytes_max));
    const auto key = claim_key(request);
    CO_TRY(const auto there, co_await metastore_.get(key));
    if (there.found) co_return co_await look_at(std::move(request), there.found->value);
    CO_CHECK_OK(co_await check_number(request));
    CO_TRY(const auto lease, co_await metastore_.grant(lifetime));
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(request, begun), .lease = lease});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (verdict.committed) co_return claim{.lease = lease};
    ignore_error(co_await metastore_.revoke(lease), "nothing hangs on it; it ends by itself");
    if (verdict.current.empty())
        co_return fail(errc::unavailable, "the claim ended at this moment; try again");
    co_return co_await look_at(std::move(request), verdict.current.front().value);
}

async<void> idempotency_store::keep(
    request request, kv::lease_id lease, std::optional<answer> answer) {
    if (answer && answer->content.size() > answer_bytes_max) answer.reset();
    kv::transaction change;
    const auto key = claim_key(request);
    change.when.emplace_back(kv::present{key});
    const auto state = answer ? answered : unanswered;
    change.then.emplace_back(kv::put{.key = key, .value = encode(request, state), .lease = lease});
    if (answer)
        change.then.emplace_back(
            kv::put{.key = answer_key(request), .value = encode(*answer), .lease = lease});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    co_return result<void>();
}

async<void> idempotency_store::release_memory(kv::lease_id lease) {
    co_return co_await metastore_.revoke(lease);
}

}  // namespace muster::api
