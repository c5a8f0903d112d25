#include "services/people/credential_check.h"

#include "adapters/os/random.h"
#include "services/people/keys.h"
#include "services/people/neighbourhood.h"

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

std::optional<must_wait> waiting(std::optional<std::chrono::microseconds> left) {
    if (!left) return std::nullopt;
    return must_wait{*left};
}

}  // namespace

credential_check::credential_check(
    metastore& store, clock& time, options how, outside_check outside)
    : store_(store),
      time_(time),
      how_(how),
      outside_(std::move(outside)),
      nobodys_hash_(hash_for_nobody()),
      attempts_(how.attempts),
      strangers_(how.lock) {}

std::optional<must_wait> credential_check::throttled(const credentials& who) {
    const std::lock_guard lock(guard_);
    const auto now = time_.now();
    const auto by_user = attempts_.wait_for("user " + who.user, now);
    const auto by_origin = attempts_.wait_for("address " + neighbourhood(who.origin), now);
    if (!by_user && !by_origin) return std::nullopt;
    const auto none = monotonic::duration::zero();
    return must_wait{std::max(by_user.value_or(none), by_origin.value_or(none))};
}

void credential_check::note_failure(const credentials& who) {
    const std::lock_guard lock(guard_);
    attempts_.failed("user " + who.user, time_.now());
    attempts_.failed("address " + neighbourhood(who.origin), time_.now());
}

async<credential_check::answer> credential_check::check(credentials who) {
    if (const auto wait = throttled(who)) co_return answer(*wait);
    CO_TRY(const auto there, co_await store_.get(keys::user(who.user)));
    if (!there.found) co_return co_await refuse_stranger(std::move(who));
    CO_TRY(auto record, decode_user(there.found->value));
    known<user_record> user{.record = std::move(record), .modified = there.found->modified};
    co_return co_await check_user(std::move(who), std::move(user));
}

async<credential_check::answer> credential_check::refuse_stranger(credentials who) {
    const auto now = time_.wall();
    {
        const std::lock_guard lock(guard_);
        if (const auto wait = waiting(strangers_.locked_for(who.user, now)))
            co_return answer(*wait);
    }
    const auto checked = co_await verifier_.verify(nobodys_hash_, std::move(who.password));
    if (!checked && checked.error().code() == errc::unavailable) co_return fail(checked.error());
    note_failure(who);
    const std::lock_guard lock(guard_);
    strangers_.failed(who.user, now);
    co_return fail(errc::denied, "no such user");
}

async<credential_check::answer> credential_check::check_user(
    credentials who, known<user_record> user) {
    CO_TRY(auto before, co_await failures_of(who.user));
    if (const auto wait = waiting(access::locked_for(before.failed, time_.wall(), how_.lock)))
        co_return answer(*wait);
    const auto checked = co_await compare(user.record, who.password);
    // What never got as far as a comparison is no attempt.
    if (!checked && checked.error().code() != errc::denied) co_return fail(checked.error());
    if (!checked) {
        note_failure(who);
        CO_CHECK_OK(co_await write_failure(who.user));
        co_return fail(checked.error());
    }
    if (user.record.disabled) {
        note_failure(who);
        co_return fail(errc::denied, "the user is disabled");
    }
    if (before.entry) {
        CO_CHECK_OK(co_await forget_failures(std::move(before)));
    }
    const std::lock_guard lock(guard_);
    attempts_.succeeded("user " + who.user);
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
    CO_TRY(auto there, co_await store_.get(keys::failures_of(user)));
    row read{.failed = {}, .entry = std::move(there.found)};
    if (!read.entry) co_return read;
    // One that cannot be read locks nobody out; the next failure replaces it.
    if (const auto failed = decode_failures(read.entry->value)) read.failed = *failed;
    co_return read;
}

async<void> credential_check::write_failure(std::string user) {
    const auto key = keys::failures_of(user);
    CO_TRY(const auto lease, co_await store_.grant(how_.lock.forgotten_after));
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await failures_of(user));
        const auto next = access::after_failure(before.failed, time_.wall(), how_.lock);
        kv::transaction change;
        if (before.entry) {
            change.when.emplace_back(kv::unchanged{key, before.entry->modified});
        } else {
            change.when.emplace_back(kv::absent{key});
        }
        change.then.emplace_back(kv::put{.key = key, .value = encode(next), .lease = lease});
        CO_TRY(const auto verdict, co_await store_.commit(std::move(change)));
        if (!verdict.committed) continue;
        if (before.entry)
            ignore_error(co_await store_.revoke(before.entry->lease), "it ends by itself");
        co_return result<void>();
    }
    ignore_error(co_await store_.revoke(lease), "it ends by itself");
    co_return fail(errc::unavailable, "too many logins of this user at once");
}

// One that was written meanwhile stays.
async<void> credential_check::forget_failures(row before) {
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{before.entry->key, before.entry->modified});
    change.then.emplace_back(kv::erase{before.entry->key});
    CO_CHECK_OK(co_await store_.commit(std::move(change)));
    ignore_error(co_await store_.revoke(before.entry->lease), "it ends by itself");
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
        CO_TRY(const auto page, co_await store_.range(next));
        for (const auto& each : page.entries) {
            const auto failed = decode_failures(each.value);
            if (!failed) continue;
            const auto left = access::locked_for(*failed, time_.wall(), how_.lock);
            all.emplace(
                each.key.substr(keys::failures.size()),
                left ? std::optional<monotonic::duration>(*left) : std::nullopt);
        }
        if (!page.more || page.entries.empty()) co_return all;
        next.after = page.entries.back().key;
    }
}

}  // namespace muster::people
