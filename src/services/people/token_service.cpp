#include "services/people/token_service.h"

#include "core/access/account_rules.h"
#include "services/people/authenticator.h"
#include "services/people/grant_checks.h"
#include "services/people/keys.h"
#include "services/people/people_follower.h"
#include "services/people/secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::people {
namespace {

std::unexpected<error> token_not_found(const std::string& id) {
    return fail(errc::not_found, fmt::format("token \"{}\" not found", id));
}

}  // namespace

result<void> token_service::check(const token_request& request) const {
    CHECK_OK(access::check_account_text("`purpose`", request.purpose));
    if (request.lifetime < std::chrono::seconds(1) || request.lifetime > lifetime_max)
        return fail(
            errc::invalid,
            fmt::format(
                "token lifetime must be 1 second to {} days",
                std::chrono::floor<std::chrono::days>(lifetime_max).count()));
    const auto snapshot = people_.read();
    if (snapshot->tokens->size() >= limits::tokens_max)
        return fail(errc::conflict, fmt::format("limit of {} tokens reached", limits::tokens_max));
    const auto token_count = std::ranges::count_if(*snapshot->tokens, [&](const auto& token) {
        return token.second.record.user == request.user;
    });
    const auto ended = find_expired(request.user).size();
    if (static_cast<std::size_t>(token_count) - ended >= limits::tokens_per_user_max)
        return fail(
            errc::conflict,
            fmt::format(
                "limit of {1} tokens of user \"{0}\" reached; revoke a token first",
                request.user,
                limits::tokens_per_user_max));
    return {};
}

// The keys of expired tokens, which are erased to make room.
std::vector<std::string> token_service::find_expired(const std::string& user) const {
    constexpr std::size_t batch_max = 32;
    std::vector<std::string> expired_keys;
    for (const auto& [digest, token] : *people_.read()->tokens) {
        const bool expired = token.record.expires <= clock_.wall();
        if (token.record.user == user && expired && expired_keys.size() < batch_max)
            expired_keys.push_back(keys::token(digest));
    }
    return expired_keys;
}

namespace {

result<void> check_may_create(const identity& actor, bool own) {
    if (own && actor.credential == identity::credential_kind::token)
        return fail(errc::denied, "a token cannot create tokens; log in with a password");
    if (actor.must_change) return fail(errc::denied, "change your password first");
    return {};
}

struct found_user {
    kv::entry entry;
    user_record record;
};

async<found_user> find_enabled(metastore* metastore, std::string name) {
    CO_TRY(auto stored, co_await metastore->get(keys::user(name)));
    if (!stored.found) co_return fail(errc::not_found, fmt::format("user \"{}\" not found", name));
    CO_TRY(auto user, decode_user(stored.found->value));
    if (user.disabled) co_return fail(errc::conflict, fmt::format("user \"{}\" is disabled", name));
    co_return found_user{.entry = *std::move(stored.found), .record = std::move(user)};
}

// The grants of the token. A token for another user does not grow with the grants of that user.
result<std::vector<access::grant>> choose_grants(
    std::vector<access::grant> grants, const user_record& user, bool own) {
    if (own || !grants.empty()) return grants;
    if (user.grants.empty())
        return fail(errc::conflict, fmt::format("user \"{}\" has no grants", user.name));
    return user.grants;
}

}  // namespace

async<token_service::created_token> token_service::create(identity actor, token_request request) {
    const bool own = actor.user == request.user;
    CO_CHECK_OK(check_may_create(actor, own));
    CO_CHECK_OK(check(request));
    CO_TRY(const auto owner, co_await find_enabled(&metastore_, request.user));
    const auto& user = owner.record;
    auto grants = user.grants;
    std::ranges::copy(request.grants, std::back_inserter(grants));
    CO_TRY(const auto roles, co_await read_granted_roles(metastore_, std::move(grants)));
    CO_CHECK_OK(check_grants(request.grants, roles.role_rights, *actor.zones));
    if (!own) {
        CO_CHECK_OK(check_may_manage(actor, user.grants, roles.role_rights));
    }
    CO_TRY(request.grants, choose_grants(std::move(request.grants), user, own));
    const auto now = clock_.wall();
    created_token created{
        .secret = create_secret(secret_kind::token),
        .id = {},
        .record = {
            .user = request.user,
            .purpose = std::move(request.purpose),
            .grants = std::move(request.grants),
            .rights = std::move(request.rights),
            .era = user.current.tokens,
            .made = now,
            .expires = now + request.lifetime}};
    const auto digest = digest_of(created.secret);
    created.id = id_of_digest(digest);
    const auto key = keys::token(digest);
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{owner.entry.key, owner.entry.modified});
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(created.record)});
    for (auto& expired_key : find_expired(request.user))
        change.then.emplace_back(kv::erase{std::move(expired_key)});
    lock_roles(change, created.record.grants, roles);
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::unavailable, "user was modified concurrently; retry");
    co_return created;
}

std::vector<token_service::listed> token_service::list(
    const std::optional<std::string>& user) const {
    const auto snapshot = people_.read();
    std::vector<listed> tokens;
    for (const auto& [digest, token] : *snapshot->tokens) {
        if (user && token.record.user != *user) continue;
        const auto owner = snapshot->users->find(token.record.user);
        const bool valid = owner != snapshot->users->end() && !owner->second.record.disabled
                           && owner->second.record.current.tokens == token.record.era
                           && token.record.expires > clock_.wall();
        tokens.push_back({.id = id_of_digest(digest), .record = token.record, .valid = valid});
    }
    return tokens;
}

async<void> token_service::revoke(identity actor, std::string id) {
    if (!is_id(id)) co_return token_not_found(id);
    CO_TRY(const auto page, co_await metastore_.range({.prefix = keys::token(id), .limit = 1}));
    if (page.entries.empty()) co_return token_not_found(id);
    CO_TRY(const auto token, decode_token(page.entries.front().value));
    if (!is_own_credential(actor, {.user = token.user, .id = id})) {
        CO_CHECK_OK(co_await check_may_manage_user(metastore_, actor, token.user));
    }
    kv::transaction change;
    change.then.emplace_back(kv::erase{page.entries.front().key});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::people
