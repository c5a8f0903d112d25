#include "api/operations/request_claims.h"

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
std::string all_of(const request_claims::request& wanted) {
    return std::string(claims) + to_hex(wanted.user) + "/";
}

std::string claim_key(const request_claims::request& wanted) {
    return all_of(wanted) + to_hex(wanted.key);
}

std::string answer_key(const request_claims::request& wanted) {
    return std::string(answers) + to_hex(wanted.user) + "/" + to_hex(wanted.key);
}

std::string encode(const request_claims::request& wanted, std::string_view state) {
    return json::serialize(json::object{
        {"operation", wanted.operation},
        {"digest", wanted.digest},
        {"state", json::string_view(state.data(), state.size())}});
}

std::string encode(const request_claims::answer& given) {
    json::array names;
    json::array texts;
    for (const auto& [name, text] : given.fields) {
        names.emplace_back(name);
        texts.emplace_back(text);
    }
    return json::serialize(json::object{
        {"status", given.status},
        {"content", given.content},
        {"fields", std::move(names)},
        {"texts", std::move(texts)}});
}

result<request_claims::answer> decode_answer(std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("answer of a request", text));
    request_claims::answer read{
        .status = static_cast<unsigned>(in.integer("status")), .content = in.text("content")};
    const auto names = in.list("fields");
    const auto texts = in.list("texts");
    if (names.size() != texts.size()) in.mark_wrong("texts");
    for (std::size_t at = 0; at < std::min(names.size(), texts.size()); ++at)
        read.fields.emplace_back(names[at], texts[at]);
    return in.finish(std::move(read));
}

}  // namespace

async<void> request_claims::check_number(request wanted) {
    kv::range_request counting{.prefix = all_of(wanted), .limit = of_person_max};
    CO_TRY(const auto page, co_await store_.range(std::move(counting)));
    if (page.entries.size() < of_person_max) co_return result<void>();
    co_return fail(
        errc::unavailable,
        fmt::format(
            "{} has used {} Idempotency-Keys within the last {} hours; wait, or send this without "
            "one",
            wanted.user,
            of_person_max,
            std::chrono::duration_cast<std::chrono::hours>(lifetime).count()));
}

async<request_claims::claim> request_claims::look_at(request wanted, std::string kept) {
    CO_TRY(auto in, runtime::json_record_reader::of("claim of a request", kept));
    const auto operation = in.text("operation");
    const auto digest = in.text("digest");
    const auto state = in.text("state");
    CO_CHECK_OK(in.finish(true));
    if (operation != wanted.operation || digest != wanted.digest)
        co_return fail(
            errc::conflict, "this Idempotency-Key was used for another request; choose a new one");
    if (state == begun)
        co_return fail(
            errc::conflict,
            "the first request with this Idempotency-Key is under way, or nobody knows how it "
            "ended: look whether it was done before you choose a new one");
    CO_TRY(const auto there, co_await store_.get(answer_key(wanted)));
    if (state == unanswered || !there.found)
        co_return fail(
            errc::conflict,
            "the first request with this Idempotency-Key was done; its answer holds a secret or is "
            "too large, and is not kept");
    CO_TRY(auto read, decode_answer(there.found->value));
    co_return claim{.lease = {}, .before = std::move(read)};
}

async<request_claims::claim> request_claims::take(request wanted) {
    if (wanted.key.size() > key_bytes_max)
        co_return fail(
            errc::invalid, fmt::format("an Idempotency-Key has {} bytes at most", key_bytes_max));
    const auto key = claim_key(wanted);
    CO_TRY(const auto there, co_await store_.get(key));
    if (there.found) co_return co_await look_at(std::move(wanted), there.found->value);
    CO_CHECK_OK(co_await check_number(wanted));
    CO_TRY(const auto lease, co_await store_.grant(lifetime));
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(wanted, begun), .lease = lease});
    CO_TRY(const auto verdict, co_await store_.commit(std::move(change)));
    if (verdict.committed) co_return claim{.lease = lease};
    ignore_error(co_await store_.revoke(lease), "nothing hangs on it; it ends by itself");
    if (verdict.current.empty())
        co_return fail(errc::unavailable, "the claim ended at this moment; try again");
    co_return co_await look_at(std::move(wanted), verdict.current.front().value);
}

async<void> request_claims::keep(request wanted, kv::lease_id lease, std::optional<answer> given) {
    if (given && given->content.size() > answer_bytes_max) given.reset();
    kv::transaction change;
    const auto key = claim_key(wanted);
    change.when.emplace_back(kv::present{key});
    const auto state = given ? answered : unanswered;
    change.then.emplace_back(kv::put{.key = key, .value = encode(wanted, state), .lease = lease});
    if (given)
        change.then.emplace_back(
            kv::put{.key = answer_key(wanted), .value = encode(*given), .lease = lease});
    CO_CHECK_OK(co_await store_.commit(std::move(change)));
    co_return result<void>();
}

async<void> request_claims::give_back(kv::lease_id lease) {
    co_return co_await store_.revoke(lease);
}

}  // namespace muster::api
