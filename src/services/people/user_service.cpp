#include "services/people/user_service.h"

#include "adapters/os/random.h"
#include "core/access/account_rules.h"
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

constexpr int attempts_max = 8;  // against others who change the same records

std::unexpected<error> unknown(const std::string& name) {
    return fail(errc::not_found, fmt::format("User {} was not found", name));
}

std::unexpected<error> changed_meanwhile() {
    return fail(errc::unavailable, "the people changed meanwhile; try again");
}

credential_generations new_eras() {
    return {.sessions = make_era(), .tokens = make_era()};
}

result<void> check_new(const user_service::new_user& new_user) {
    CHECK_OK(access::check_user_name(new_user.name));
    CHECK_OK(access::check_account_text("`full_name`", new_user.full_name));
    CHECK_OK(access::check_account_text("`email`", new_user.email));
    if (new_user.kind == user_kind::service && (new_user.password || new_user.pam))
        return fail(errc::invalid, "a service has no password, it has tokens");
    if (new_user.pam && new_user.password)
        return fail(errc::invalid, "the password of a user of PAM is PAM's");
    if (new_user.password) {
        CHECK_OK(access::check_new_password(*new_user.password, new_user.name));
    }
    return {};
}

result<void> change_grants(user_record& of, const user_service::changes& changes) {
    for (const auto& each : changes.given)
        if (std::ranges::find(of.grants, each) == of.grants.end()) of.grants.push_back(each);
    if (!changes.role_taken) return {};
    const auto gone = std::erase_if(
        of.grants, [&](const access::grant& grant) { return grant.role == *changes.role_taken; });
    if (gone == 0)
        return fail(
            errc::invalid,
            fmt::format("{} does not have the role {}", of.name, *changes.role_taken));
    return {};
}

}  // namespace

async<user_service::added> user_service::add(identity actor, new_user new_user) {
    CO_CHECK_OK(check_new(new_user));
    if (deps_.people.read()->users->size() >= limits::users_max)
        co_return fail(
            errc::conflict, fmt::format("there are {} users already", limits::users_max));
    CO_TRY(const auto roles, co_await roles_named(deps_.metastore, new_user.grants));
    CO_CHECK_OK(check_grants(new_user.grants, roles.meanings, *actor.zones));
    CO_CHECK_OK(check_may_manage(actor, new_user.grants, roles.meanings));
    added added{
        .user =
            {.record =
                 {.name = new_user.name,
                  .full_name = std::move(new_user.full_name),
                  .email = std::move(new_user.email),
                  .grants = new_user.grants,
                  .pam = new_user.pam,
                  .kind = new_user.kind,
                  .current = new_eras(),
                  .made = deps_.clock.wall()}},
        .one_time_password = {}};
    auto& record = added.user.record;
    if (record.kind == user_kind::person && !record.pam) {
        if (!new_user.password) added.one_time_password = os::random_password();
        record.must_change = new_user.must_change || !new_user.password;
        CO_TRY(
            record.password_hash,
            co_await deps_.checks.hash(new_user.password.value_or(added.one_time_password)));
    }
    const auto key = keys::user(record.name);
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(record)});
    hold_roles(change, record.grants, roles);
    CO_TRY(const auto verdict, co_await deps_.metastore.commit(std::move(change)));
    added.user.modified = verdict.at;
    if (verdict.committed) co_return added;
    const auto is_there = [&key](const kv::entry& entry) {
        return entry.key == key;
    };
    if (std::ranges::any_of(verdict.current, is_there))
        co_return fail(errc::conflict, fmt::format("User {} is already there", record.name));
    co_return changed_meanwhile();
}

async<known<user_record>> user_service::find(std::string name) {
    CO_TRY(const auto there, co_await deps_.metastore.get(keys::user(name)));
    if (!there.found) co_return unknown(name);
    CO_TRY(auto record, decode_user(there.found->value));
    co_return known<user_record>{
        .record = std::move(record), .modified = there.found->modified, .lease = {}};
}

// It must stay as it is until the change is made: two who take the right from each other at the
// same time cannot both succeed.
async<kv::condition> user_service::another_chief(std::string besides) {
    kv::range_request next{.prefix = std::string(keys::users)};
    while (true) {
        CO_TRY(const auto page, co_await deps_.metastore.range(next));
        for (const auto& entry : page.entries) {
            const auto user = decode_user(entry.value);
            if (user && user->name != besides && is_chief(*user))
                co_return kv::condition(kv::unchanged{entry.key, entry.modified});
        }
        if (!page.more || page.entries.empty()) break;
        next.after = page.entries.back().key;
    }
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} is the last enabled admin of the whole cluster; make another one first", besides));
}

async<std::optional<known<user_record>>> user_service::try_alter(
    identity actor, std::string name, alteration alteration) {
    CO_TRY(const auto before, co_await find(name));
    if (alteration.expected && *alteration.expected != before.modified)
        co_return fail(
            errc::conflict, fmt::format("User {} was changed meanwhile; look again", name));
    CO_TRY(const auto next, alteration.next(before.record));
    auto grants = before.record.grants;
    if (next) std::ranges::copy(next->grants, std::back_inserter(grants));
    CO_TRY(const auto roles, co_await roles_named(deps_.metastore, std::move(grants)));
    if (alteration.by == consent::of_manager) {
        CO_CHECK_OK(check_may_manage(actor, before.record.grants, roles.meanings));
    }
    kv::transaction change;
    const auto key = keys::user(name);
    change.when.emplace_back(kv::unchanged{key, before.modified});
    if (next) {
        if (next->grants != before.record.grants) {
            CO_CHECK_OK(check_grants(next->grants, roles.meanings, *actor.zones));
            CO_CHECK_OK(check_may_manage(actor, next->grants, roles.meanings));
            hold_roles(change, next->grants, roles);
        }
        change.then.emplace_back(kv::put{.key = key, .value = encode(*next)});
    } else {
        change.then.emplace_back(kv::erase{key});
    }
    if (is_chief(before.record) && !(next && is_chief(*next))) {
        CO_TRY(auto witness, co_await another_chief(name));
        change.when.push_back(std::move(witness));
    }
    CO_TRY(const auto verdict, co_await deps_.metastore.commit(std::move(change)));
    if (!verdict.committed) co_return std::optional<known<user_record>>();
    const auto left =
        next ? next->current : credential_generations{.sessions = "none", .tokens = "none"};
    if (left != before.record.current)
        ignore_error(co_await sweep(name, left), "what is of another era lets nobody in");
    co_return std::optional(
        known<user_record>{.record = next.value_or(before.record), .modified = verdict.at});
}

async<known<user_record>> user_service::alter(
    identity actor, std::string name, alteration alteration) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto done, co_await try_alter(actor, name, alteration));
        if (done) co_return *std::move(done);
    }
    co_return changed_meanwhile();
}

// Takes away what is of no era any more, as far as this server knows of it. It is for tidiness:
// none of it lets anybody in.
async<void> user_service::sweep(std::string name, credential_generations left) {
    const auto now = deps_.people.read();
    for (const auto& [digest, session] : *now->sessions) {
        if (session.record.user != name || session.record.era == left.sessions) continue;
        ignore_error(co_await deps_.metastore.revoke(session.lease), "it ends by itself");
    }
    kv::transaction change;
    for (const auto& [digest, token] : *now->tokens) {
        if (token.record.user != name || token.record.era == left.tokens) continue;
        if (change.then.size() < kv::limits::operations_max)
            change.then.emplace_back(kv::erase{keys::token(digest)});
    }
    if (!change.then.empty()) {
        CO_CHECK_OK(co_await deps_.metastore.commit(std::move(change)));
    }
    co_return result<void>();
}

async<known<user_record>> user_service::change(identity actor, std::string name, changes changes) {
    CO_CHECK_OK(access::check_account_text("`full_name`", changes.full_name.value_or("")));
    CO_CHECK_OK(access::check_account_text("`email`", changes.email.value_or("")));
    const auto expected = changes.expected;
    alteration alteration{
        .next = [changes =
                     std::move(changes)](user_record next) -> result<std::optional<user_record>> {
            if (changes.full_name) next.full_name = *changes.full_name;
            if (changes.email) next.email = *changes.email;
            if (changes.grants) next.grants = *changes.grants;
            CHECK_OK(change_grants(next, changes));
            if (changes.pam && next.kind == user_kind::service)
                return fail(errc::invalid, "a service has no password, it has tokens");
            if (changes.pam && *changes.pam != next.pam) {
                // No password that was good before is good again by this.
                next.pam = *changes.pam;
                next.password_hash.clear();
                next.must_change = false;
                next.current = new_eras();
            }
            return std::optional(std::move(next));
        },
        .expected = expected};
    co_return co_await alter(std::move(actor), std::move(name), std::move(alteration));
}

async<void> user_service::remove(identity actor, std::string name) {
    alteration alteration{.next = [](const user_record&) -> result<std::optional<user_record>> {
        return std::optional<user_record>();
    }};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(alteration));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<void> user_service::disable(identity actor, std::string name) {
    alteration alteration{.next = [](user_record next) -> result<std::optional<user_record>> {
        next.disabled = true;
        next.current = new_eras();
        return std::optional(std::move(next));
    }};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(alteration));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<void> user_service::enable(identity actor, std::string name) {
    alteration alteration{.next = [](user_record next) -> result<std::optional<user_record>> {
        next.disabled = false;
        return std::optional(std::move(next));
    }};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(alteration));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<void> user_service::end_sessions(identity actor, std::string name) {
    const bool own = is_own(actor, {.user = name, .id = {}});
    alteration alteration{
        .next = [](user_record next) -> result<std::optional<user_record>> {
            next.current.sessions = make_era();
            return std::optional(std::move(next));
        },
        .by = own ? consent::of_oneself : consent::of_manager};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(alteration));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

}  // namespace muster::people
