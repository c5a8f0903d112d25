#include "services/people/credential_check.h"

#include "adapters/os/random.h"
#include "services/people/address_limit_key.h"
#include "services/people/keys.h"

#include <algorithm>
#include <utility>

namespace muster::people {
namespace {

constexpr int attempts_max = 8;  // on concurrent writes

// The hash of a random password, created at first use.
const std::string& dummy_hash() {
    static const std::string hash = os::hash_password(os::random_password()).value_or("");
    return hash;
}

std::optional<login_throttled> to_throttled(std::optional<std::chrono::microseconds> remaining) {
    if (!remaining) return std::nullopt;
    return login_throttled{*remaining};
}

}  // namespace

credential_check::credential_check(
    muster::metastore& metastore, muster::clock& clock, options options, external_check external)
    : metastore_(metastore),
      clock_(clock),
      options_(options),
      external_(std::move(external)),
      dummy_hash_(dummy_hash()),
      attempts_(options.attempts),
      unknown_users_(options.lock) {}

std::optional<login_throttled> credential_check::find_throttle(const credentials& credentials) {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.now();
    const auto user_wait = attempts_.wait_for("user " + credentials.user, now);
    const auto origin_wait =
        attempts_.wait_for("address " + address_limit_key(credentials.origin), now);
    if (!user_wait && !origin_wait) return std::nullopt;
    const auto zero = monotonic::duration::zero();
    return login_throttled{std::max(user_wait.value_or(zero), origin_wait.value_or(zero))};
}

void credential_check::count_failure(const credentials& credentials) {
    const std::lock_guard lock(mutex_);
    attempts_.failed("user " + credentials.user, clock_.now());
    attempts_.failed("address " + address_limit_key(credentials.origin), clock_.now());
}

async<credential_check::check_result> credential_check::check(credentials credentials) {
    if (const auto wait = find_throttle(credentials)) co_return check_result(*wait);
    CO_TRY(const auto stored, co_await metastore_.get(keys::user(credentials.user)));
    if (!stored.found) co_return co_await refuse_unknown_user(std::move(credentials));
    CO_TRY(auto record, decode_user(stored.found->value));
    versioned<user_record> user{.record = std::move(record), .modified = stored.found->modified};
    co_return co_await check_user(std::move(credentials), std::move(user));
}

async<credential_check::check_result> credential_check::refuse_unknown_user(
    credentials credentials) {
    const auto now = clock_.wall();
    {
        const std::lock_guard lock(mutex_);
        if (const auto wait = to_throttled(unknown_users_.locked_for(credentials.user, now)))
            co_return check_result(*wait);
    }
    const auto verification =
        co_await verifier_.verify(dummy_hash_, std::move(credentials.password));
    if (!verification && verification.error().code() == errc::unavailable)
        co_return fail(verification.error());
    count_failure(credentials);
    const std::lock_guard lock(mutex_);
    unknown_users_.failed(credentials.user, now);
    co_return fail(errc::denied, "user not found");
}

async<credential_check::check_result> credential_check::check_user(
    credentials credentials, versioned<user_record> user) {
    CO_TRY(auto failures, co_await read_failures(credentials.user));
    if (const auto wait =
            to_throttled(access::locked_for(failures.logins, clock_.wall(), options_.lock)))
        co_return check_result(*wait);
    const auto verification = co_await verify_password(user.record, credentials.password);
    // An attempt without a comparison does not count.
    if (!verification && verification.error().code() != errc::denied)
        co_return fail(verification.error());
    if (!verification) {
        count_failure(credentials);
        CO_CHECK_OK(co_await write_failure(credentials.user));
        co_return fail(verification.error());
    }
    if (user.record.disabled) {
        count_failure(credentials);
        co_return fail(errc::denied, "user is disabled");
    }
    if (failures.entry) {
        CO_CHECK_OK(co_await erase_failures(std::move(failures)));
    }
    const std::lock_guard lock(mutex_);
    attempts_.on_success("user " + credentials.user);
    co_return check_result(std::move(user));
}

async<void> credential_check::verify_password(user_record user, std::string password) {
    if (user.pam && external_)
        co_return co_await external_(std::move(user.name), std::move(password));
    const bool has_no_password =
        user.pam || user.password_hash.empty() || user.kind == user_kind::service;
    const auto verification = co_await verifier_.verify(
        has_no_password ? dummy_hash_ : user.password_hash, std::move(password));
    if (!has_no_password || (!verification && verification.error().code() == errc::unavailable))
        co_return verification;
    co_return fail(
        errc::denied, user.pam ? "PAM is not configured on this server" : "user has no password");
}

async<credential_check::stored_failures> credential_check::read_failures(std::string user) {
    CO_TRY(auto entry, co_await metastore_.get(keys::failures_of(user)));
    stored_failures failures{.logins = {}, .entry = std::move(entry.found)};
    if (!failures.entry) co_return failures;
    // An unreadable record locks nobody; the next failure replaces it.
    if (const auto logins = decode_failures(failures.entry->value)) failures.logins = *logins;
    co_return failures;
}

async<void> credential_check::write_failure(std::string user) {
    const auto key = keys::failures_of(user);
    CO_TRY(const auto lease, co_await metastore_.grant(options_.lock.forgotten_after));
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto failures, co_await read_failures(user));
        const auto updated = access::after_failure(failures.logins, clock_.wall(), options_.lock);
        kv::transaction change;
        if (failures.entry) {
            change.when.emplace_back(kv::unchanged{key, failures.entry->modified});
        } else {
            change.when.emplace_back(kv::absent{key});
        }
        change.then.emplace_back(kv::put{.key = key, .value = encode(updated), .lease = lease});
        CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
        if (!outcome.committed) continue;
        if (failures.entry)
            ignore_error(co_await metastore_.revoke(failures.entry->lease), "the lease expires");
        co_return result<void>();
    }
    ignore_error(co_await metastore_.revoke(lease), "the lease expires");
    co_return fail(errc::unavailable, "too many concurrent logins of this user; retry");
}

// A failure that was written meanwhile stays.
async<void> credential_check::erase_failures(stored_failures stored) {
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{stored.entry->key, stored.entry->modified});
    change.then.emplace_back(kv::erase{stored.entry->key});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    ignore_error(co_await metastore_.revoke(stored.entry->lease), "the lease expires");
    co_return result<void>();
}

async<void> credential_check::unlock(std::string user) {
    CO_TRY(auto failures, co_await read_failures(user));
    {
        const std::lock_guard lock(mutex_);
        attempts_.on_success("user " + user);
    }
    if (!failures.entry) co_return fail(errc::not_found, "user \"" + user + "\" is not locked");
    co_return co_await erase_failures(std::move(failures));
}

async<std::map<std::string, std::optional<monotonic::duration>>> credential_check::failures() {
    std::map<std::string, std::optional<monotonic::duration>> waits;
    kv::range_request request{.prefix = std::string(keys::failures)};
    while (true) {
        CO_TRY(const auto page, co_await metastore_.range(request));
        for (const auto& entry : page.entries) {
            const auto logins = decode_failures(entry.value);
            if (!logins) continue;
            const auto remaining = access::locked_for(*logins, clock_.wall(), options_.lock);
            waits.emplace(
                entry.key.substr(keys::failures.size()),
                remaining ? std::optional<monotonic::duration>(*remaining) : std::nullopt);
        }
        if (!page.more || page.entries.empty()) co_return waits;
        request.after = page.entries.back().key;
    }
}

}  // namespace muster::people
