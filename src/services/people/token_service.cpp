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

std::unexpected<error> unknown_token(const std::string& id) {
    return fail(errc::not_found, fmt::format("Token {} was not found", id));
}

}  // namespace

result<void> token_service::check(const token_request& token_request) const {
    CHECK_OK(access::check_account_text("`purpose`", token_request.purpose));
    if (token_request.lifetime < std::chrono::seconds(1) || token_request.lifetime > lifetime_max)
        return fail(
            errc::invalid,
            fmt::format(
                "a token lives for 1 second to {} days",
                std::chrono::floor<std::chrono::days>(lifetime_max).count()));
    const auto now = people_.read();
    if (now->tokens->size() >= limits::tokens_max)
        return fail(errc::conflict, fmt::format("there are {} tokens already", limits::tokens_max));
    const auto of_user = std::ranges::count_if(*now->tokens, [&](const auto& each) {
        return each.second.record.user == token_request.user;
    });
    const auto ended = ended_of(token_request.user).size();
    if (static_cast<std::size_t>(of_user) - ended >= limits::tokens_per_user_max)
        return fail(
            errc::conflict,
            fmt::format(
                "user {} has {} tokens already; revoke one first",
                token_request.user,
                limits::tokens_per_user_max));
    return {};
}

// Keys of those that are over: they make room for new ones.
std::vector<std::string> token_service::ended_of(const std::string& user) const {
    constexpr std::size_t at_once_max = 32;
    std::vector<std::string> ended;
    for (const auto& [digest, token] : *people_.read()->tokens) {
        const bool over = token.record.expires <= clock_.wall();
        if (token.record.user == user && over && ended.size() < at_once_max)
            ended.push_back(keys::token(digest));
    }
    return ended;
}

namespace {

result<void> check_maker(const identity& actor, bool own) {
    if (own && actor.how == identity::door::token)
        return fail(errc::denied, "log in to make a token for yourself; a token cannot");
    if (actor.must_change) return fail(errc::denied, "change your password first");
    return {};
}

struct found_user {
    kv::entry entry;
    user_record record;
};

async<found_user> find_enabled(metastore* metastore, std::string name) {
    CO_TRY(auto there, co_await metastore->get(keys::user(name)));
    if (!there.found) co_return fail(errc::not_found, fmt::format("User {} was not found", name));
    CO_TRY(auto user, decode_user(there.found->value));
    if (user.disabled) co_return fail(errc::conflict, fmt::format("User {} is disabled", name));
    co_return found_user{.entry = *std::move(there.found), .record = std::move(user)};
}

// What the token is to have. Made for another, it does not grow with that one's grants.
result<std::vector<access::grant>> grants_for(
    std::vector<access::grant> grants, const user_record& user, bool own) {
    if (own || !grants.empty()) return grants;
    if (user.grants.empty())
        return fail(errc::conflict, fmt::format("User {} has no grants yet", user.name));
    return user.grants;
}

}  // namespace

async<token_service::created_token> token_service::make(
    identity actor, token_request token_request) {
    const bool own = actor.user == token_request.user;
    CO_CHECK_OK(check_maker(actor, own));
    CO_CHECK_OK(check(token_request));
    CO_TRY(const auto there, co_await find_enabled(&metastore_, token_request.user));
    const auto& user = there.record;
    auto grants = user.grants;
    std::ranges::copy(token_request.grants, std::back_inserter(grants));
    CO_TRY(const auto roles, co_await roles_named(metastore_, std::move(grants)));
    CO_CHECK_OK(check_grants(token_request.grants, roles.meanings, *actor.zones));
    if (!own) {
        CO_CHECK_OK(check_may_manage(actor, user.grants, roles.meanings));
    }
    CO_TRY(token_request.grants, grants_for(std::move(token_request.grants), user, own));
    const auto now = clock_.wall();
    created_token created_token{
        .secret = make_secret(secret_kind::token),
        .id = {},
        .record = {
            .user = token_request.user,
            .purpose = std::move(token_request.purpose),
            .grants = std::move(token_request.grants),
            .rights = std::move(token_request.rights),
            .era = user.current.tokens,
            .made = now,
            .expires = now + token_request.lifetime}};
    const auto digest = digest_of(created_token.secret);
    created_token.id = id_of_digest(digest);
    const auto key = keys::token(digest);
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{there.entry.key, there.entry.modified});
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(created_token.record)});
    for (auto& each : ended_of(token_request.user))
        change.then.emplace_back(kv::erase{std::move(each)});
    hold_roles(change, created_token.record.grants, roles);
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(errc::unavailable, "the user was changed meanwhile; try again");
    co_return created_token;
}

std::vector<token_service::listed> token_service::list(
    const std::optional<std::string>& user) const {
    const auto now = people_.read();
    std::vector<listed> all;
    for (const auto& [digest, token] : *now->tokens) {
        if (user && token.record.user != *user) continue;
        const auto owner = now->users->find(token.record.user);
        const bool good = owner != now->users->end() && !owner->second.record.disabled
                          && owner->second.record.current.tokens == token.record.era
                          && token.record.expires > clock_.wall();
        all.push_back({.id = id_of_digest(digest), .record = token.record, .good = good});
    }
    return all;
}

async<void> token_service::revoke(identity actor, std::string id) {
    if (!is_id(id)) co_return unknown_token(id);
    CO_TRY(const auto page, co_await metastore_.range({.prefix = keys::token(id), .limit = 1}));
    if (page.entries.empty()) co_return unknown_token(id);
    CO_TRY(const auto token, decode_token(page.entries.front().value));
    if (!is_own(actor, {.user = token.user, .id = id})) {
        CO_CHECK_OK(co_await check_manages_user(metastore_, actor, token.user));
    }
    kv::transaction change;
    change.then.emplace_back(kv::erase{page.entries.front().key});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    co_return result<void>();
}

}  // namespace muster::people
