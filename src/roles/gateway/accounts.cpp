#include "roles/gateway/accounts.h"

#include "adapters/os/random.h"
#include "adapters/pki/base64.h"
#include "adapters/pki/fingerprint.h"
#include "base/assert.h"
#include "base/hex.h"
#include "roles/cluster/keys.h"

#include <algorithm>
#include <utility>

namespace muster::gateway {
namespace {

constexpr std::size_t token_bytes = 32;
constexpr std::size_t token_digits = 2 * token_bytes;

std::string digest_of(const std::string& token) {
    auto digest = pki::sha256_fingerprint(token).str();
    std::erase(digest, ':');
    return digest;
}

std::string hash_for_nobody() {
    auto hashed = os::hash_password(os::random_password());
    return hashed ? std::move(*hashed) : std::string();
}

}  // namespace

accounts::accounts(cluster::engines where, clock& time, audit_trail& audit, options how)
    : where_(where),
      time_(time),
      audit_(audit),
      how_(how),
      nobodys_hash_(hash_for_nobody()),
      attempts_(how.attempts) {}

std::optional<accounts::too_many> accounts::check_rate(const credentials& who) {
    const std::lock_guard lock(guard_);
    const auto now = time_.now();
    const auto by_user = attempts_.wait_for("user " + who.user, now);
    const auto by_origin = attempts_.wait_for("address " + who.origin, now);
    if (!by_user && !by_origin) return std::nullopt;
    const auto none = monotonic::duration::zero();
    return too_many{std::max(by_user.value_or(none), by_origin.value_or(none))};
}

void accounts::note(const credentials& who, const result<void>& outcome) {
    const std::lock_guard lock(guard_);
    if (outcome) {
        attempts_.succeeded("user " + who.user);
    } else if (outcome.error().code() == errc::denied) {
        attempts_.failed("user " + who.user, time_.now());
        attempts_.failed("address " + who.origin, time_.now());
    }
}

async<void> accounts::check_password(credentials who) {
    CO_TRY(const auto there, co_await where_.metadata.get(cluster::keys::user(who.user)));
    if (!there.found) {
        auto checked = co_await verifier_.verify(nobodys_hash_, std::move(who.password));
        if (!checked && checked.error().code() == errc::unavailable) co_return checked;
        co_return fail(errc::denied, "no such user");
    }
    CO_TRY(const auto user, cluster::decode_user(there.found->value));
    co_return co_await verifier_.verify(user.password_hash, std::move(who.password));
}

async<accounts::session> accounts::open_session(std::string user) {
    session opened{
        .token = to_hex(os::random_bytes(token_bytes)),
        .user = std::move(user),
        .expires = time_.wall() + how_.session_lifetime};
    CO_TRY(const auto lease, co_await where_.metadata.grant(how_.session_lifetime));
    const auto key = cluster::keys::session(digest_of(opened.token));
    const cluster::session_record record{.user = opened.user, .expires = opened.expires};
    kv::transaction change;
    change.when.push_back(kv::absent{key});
    change.then.push_back(kv::put{.key = key, .value = encode(record), .lease = lease});
    CO_TRY(const auto verdict, co_await where_.metadata.commit(std::move(change)));
    MUSTER_ASSERT(verdict.committed);  // 256 random bits do not repeat
    co_return opened;
}

async<accounts::session> accounts::login(credentials who) {
    const auto checked = co_await check_password(who);
    note(who, checked);
    // What never got as far as a comparison is no attempt.
    if (!checked && checked.error().code() != errc::denied) co_return fail(checked.error());
    deed tried{
        .who = who.user,
        .what = "login",
        .origin = who.origin,
        .outcome = checked ? "done" : "refused",
        .detail = checked ? "" : checked.error().detail()};
    CO_CHECK_OK(co_await audit_.record(std::move(tried)));
    if (!checked) co_return fail(errc::denied, "wrong user or password");
    co_return co_await open_session(who.user);
}

async<std::string> accounts::user_of(std::string token) {
    const auto denied = fail(errc::denied, "the login has ended or was never there; log in again");
    if (token.size() != token_digits) co_return denied;
    const auto key = cluster::keys::session(digest_of(token));
    CO_TRY(const auto there, co_await where_.metadata.get(key));
    if (!there.found) co_return denied;
    CO_TRY(auto record, cluster::decode_session(there.found->value));
    if (record.expires <= time_.wall()) co_return denied;
    co_return std::move(record.user);
}

}  // namespace muster::gateway
