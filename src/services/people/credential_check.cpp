#include "services/people/credential_check.h"

#include "adapters/os/random.h"
#include "services/people/address_limit_key.h"
#include "services/people/keys.h"

#include <algorithm>
#include <utility>

namespace muster::people {
namespace {

constexpr int attempts_max = 8;  // against others who write the same row

// Nobody's password, made when the program first needs one.
const std::string& hash_for_nobody() {
    static const std::string hash = os::hash_password(os::random_password()).value_or("");
    return hash;
}

std::optional<login_throttled> waiting(std::optional<std::chrono::microseconds> left) {
    if (!left) return std::nullopt;
    return login_throttled{*left};
}

}  // namespace

credential_check::credential_check(
    muster::metastore& metastore, muster::clock& clock, options options, outside_check outside)
    : metastore_(metastore),
      clock_(clock),
      options_(options),
      outside_(std::move(outside)),
      nobodys_hash_(hash_for_nobody()),
      attempts_(options.attempts),
      strangers_(options.lock) {}

std::optional<login_throttled> credential_check::throttled(const credentials& credentials) {
    const std::lock_guard lock(guard_);
    const auto now = clock_.now();
    const auto by_user = attempts_.wait_for("user " + credentials.user, now);
    const auto by_origin =
        attempts_.wait_for("address " + address_limit_key(credentials.origin), now);
    if (!by_user && !by_origin) return std::nullopt;
    const auto none = monotonic::duration::zero();
    return login_throttled{std::max(by_user.value_or(none), by_origin.value_or(none))};
}

void credential_check::note_failure(const credentials& credentials) {
    const std::lock_guard lock(guard_);
    attempts_.failed("user " + credentials.user, clock_.now());
    attempts_.failed("address " + address_limit_key(credentials.origin), clock_.now());
}

async<credential_check::answer> credential_check::check(credentials credentials) {
    if (const auto wait = throttled(credentials)) co_return answer(*wait);
    CO_TRY(const auto there, co_await metastore_.get(keys::user(credentials.user)));
    if (!there.found) co_return co_await refuse_stranger(std::move(credentials));
    CO_TRY(auto record, decode_user(there.found->value));
    known<user_record> user{.record = std::move(record), .modified = there.found->modified};
    co_return co_await check_user(std::move(credentials), std::move(user));
}

async<credential_check::answer> credential_check::refuse_stranger(credentials credentials) {
    const auto now = clock_.wall();
    {
        const std::lock_guard lock(guard_);
        if (const auto wait = waiting(strangers_.locked_for(credentials.user, now)))
            co_return answer(*wait);
    }
    const auto checked = co_await verifier_.verify(nobodys_hash_, std::move(credentials.password));
    if (!checked && checked.error().code() == errc::unavailable) co_return fail(checked.error());
    note_failure(credentials);
    const std::lock_guard lock(guard_);
    strangers_.failed(credentials.user, now);
    co_return fail(errc::denied, "no such user");
}

async<credential_check::answer> credential_check::check_user(
    credentials credentials, known<user_record> user) {
    CO_TRY(auto before, co_await failures_of(credentials.user));
    if (const auto wait = waiting(access::locked_for(before.failed, clock_.wall(), options_.lock)))
        co_return answer(*wait);
    const auto checked = co_await compare(user.record, credentials.password);
    // What never got as far as a comparison is no attempt.
    if (!checked && checked.error().code() != errc::denied) co_return fail(checked.error());
    if (!checked) {
        note_failure(credentials);
        CO_CHECK_OK(co_await write_failure(credentials.user));
        co_return fail(checked.error());
    }
    if (user.record.disabled) {
        note_failure(credentials);
        co_return fail(errc::denied, "the user is disabled");
    }
    if (before.entry) {
        CO_CHECK_OK(co_await forget_failures(std::move(before)));
    }
    const std::lock_guard lock(guard_);
    attempts_.succeeded("user " + credentials.user);
    co_return answer(std::move(user));
}

async<void> credential_check::compare(user_record user, std::string password) {
    if (user.pam && outside_)
        co_return co_await outside_(std::move(user.name), std::move(password));
    const bool none = user.pam || user.password_hash.empty() || user.kind == user_kind::service;
    const auto checked =
        co_await verifier_.verify(none ? nobodys_hash_ : user.password_hash, std::move(password));
    if (!none || (!checked && checked.error().code() == errc::unavailable)) co_return checked;
    co_return fail(
        errc::denied, user.pam ? "PAM is not set up on this server" : "the user has no password");
}

async<credential_check::row> credential_check::failures_of(std::string user) {
    CO_TRY(auto there, co_await metastore_.get(keys::failures_of(user)));
    row read{.failed = {}, .entry = std::move(there.found)};
    if (!read.entry) co_return read;
    // One that cannot be read locks nobody out; the next failure replaces it.
    if (const auto failed = decode_failures(read.entry->value)) read.failed = *failed;
    co_return read;
}

async<void> credential_check::write_failure(std::string user) {
    const auto key = keys::failures_of(user);
    CO_TRY(const auto lease, co_await metastore_.grant(options_.lock.forgotten_after));
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await failures_of(user));
        const auto next = access::after_failure(before.failed, clock_.wall(), options_.lock);
        kv::transaction change;
        if (before.entry) {
            change.when.emplace_back(kv::unchanged{key, before.entry->modified});
        } else {
            change.when.emplace_back(kv::absent{key});
        }
        change.then.emplace_back(kv::put{.key = key, .value = encode(next), .lease = lease});
        CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
        if (!verdict.committed) continue;
        if (before.entry)
            ignore_error(co_await metastore_.revoke(before.entry->lease), "it ends by itself");
        co_return result<void>();
    }
    ignore_error(co_await metastore_.revoke(lease), "it ends by itself");
    co_return fail(errc::unavailable, "too many logins of this user at once");
}

// One that was written meanwhile stays.
async<void> credential_check::forget_failures(row before) {
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{before.entry->key, before.entry->modified});
    change.then.emplace_back(kv::erase{before.entry->key});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    ignore_error(co_await metastore_.revoke(before.entry->lease), "it ends by itself");
    co_return result<void>();
}

async<void> credential_check::unlock(std::string user) {
    CO_TRY(auto before, co_await failures_of(user));
    {
        const std::lock_guard lock(guard_);
        attempts_.succeeded("user " + user);
    }
    if (!before.entry) co_return fail(errc::not_found, "user " + user + " is not locked");
    co_return co_await forget_failures(std::move(before));
}

async<std::map<std::string, std::optional<monotonic::duration>>> credential_check::failures() {
    std::map<std::string, std::optional<monotonic::duration>> all;
    kv::range_request next{.prefix = std::string(keys::failures)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(next));
        for (const auto& entry : page.entries) {
            const auto failed = decode_failures(entry.value);
            if (!failed) continue;
            const auto left = access::locked_for(*failed, clock_.wall(), options_.lock);
            all.emplace(
                entry.key.substr(keys::failures.size()),
                left ? std::optional<monotonic::duration>(*left) : std::nullopt);
        }
        if (!page.more || page.entries.empty()) co_return all;
        next.after = page.entries.back().key;
    }
}

}  // namespace muster::people
