// Begin and end of sessions.
#include "services/people/authenticator.h"
#include "services/people/keys.h"
#include "services/people/people_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::people {

async<authenticator::login_answer> authenticator::login(credentials credentials) {
    auto checked = co_await deps_.checks.check(credentials);
    if (!checked && checked.error().code() != errc::denied) co_return fail(checked.error());
    if (checked) {
        if (const auto* wait = std::get_if<login_throttled>(&*checked))
            co_return login_answer(*wait);
    }
    audit_entry attempt{
        .who = credentials.user,
        .what = "login",
        .origin = credentials.origin,
        .outcome = checked ? "done" : "refused",
        .detail = checked ? "" : checked.error().detail()};
    CO_CHECK_OK(co_await deps_.audit.record(std::move(attempt)));
    if (!checked) co_return fail(errc::denied, "wrong user or password");
    auto user = std::get<versioned<user_record>>(*std::move(checked));
    CO_TRY(auto opened, co_await open_session(std::move(user), std::move(credentials.origin)));
    co_return login_answer(std::move(opened));
}

// A user who changed after the password check, perhaps disabled, is not logged in.
async<authenticator::opened_session> authenticator::open_session(
    versioned<user_record> user, std::string origin) {
    const auto& name = user.record.name;
    CO_CHECK_OK(co_await end_oldest_session(name));
    const auto now = deps_.clock.wall();
    opened_session opened{
        .secret = create_secret(secret_kind::session),
        .user = name,
        .expires = now + options_.session_lifetime,
        .must_change = user.record.must_change,
        .csrf = {}};
    opened.csrf = csrf_of(opened.secret);
    const session_record record{
        .user = name,
        .began = now,
        .seen = now,
        .expires = opened.expires,
        .origin = std::move(origin),
        .era = user.record.current.sessions};
    CO_TRY(const auto lease, co_await deps_.metastore.grant(options_.session_lifetime));
    const auto key = keys::session(digest_of(opened.secret));
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{keys::user(name), user.modified});
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(record), .lease = lease});
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(change)));
    if (outcome.committed) co_return opened;
    ignore_error(co_await deps_.metastore.revoke(lease), "the lease expires");
    co_return fail(errc::unavailable, "user was modified concurrently; log in again");
}

// Ends the least recently used session of a user with too many.
async<void> authenticator::end_oldest_session(std::string user) {
    const auto snapshot = deps_.people.read();
    if (snapshot->sessions->size() >= limits::sessions_max)
        co_return fail(
            errc::unavailable,
            fmt::format("limit of {} sessions reached; retry later", limits::sessions_max));
    std::size_t count = 0;
    const session_entry* oldest = nullptr;
    for (const auto& [digest, session] : *snapshot->sessions) {
        if (session.record.user != user) continue;
        ++count;
        if (oldest == nullptr || session.record.seen < oldest->record.seen) oldest = &session;
    }
    if (count < limits::sessions_per_user_max) co_return result<void>();
    const auto ended = co_await deps_.metastore.revoke(oldest->lease);
    if (!ended && ended.error().code() != errc::not_found) co_return ended;
    co_return result<void>();
}

async<void> authenticator::logout(identity caller) {
    if (caller.credential != identity::credential_kind::session)
        co_return fail(errc::invalid, "a token cannot log out; revoke the token instead");
    const auto key = keys::session(caller.digest);
    CO_TRY(const auto stored, co_await deps_.metastore.get(key));
    if (!stored.found) co_return result<void>();
    kv::transaction change;
    change.then.emplace_back(kv::erase{key});
    CO_CHECK_OK(co_await deps_.metastore.commit(std::move(change)));
    {
        const std::lock_guard lock(mutex_);
        ended_.add(caller.digest);
    }
    if (stored.found->lease != kv::lease_id())
        ignore_error(co_await deps_.metastore.revoke(stored.found->lease), "the lease expires");
    co_return result<void>();
}

}  // namespace muster::people
