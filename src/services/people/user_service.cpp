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

constexpr int attempts_max = 8;  // on concurrent changes

std::unexpected<error> user_not_found(const std::string& name) {
    return fail(errc::not_found, fmt::format("user \"{}\" not found", name));
}

std::unexpected<error> changed_meanwhile() {
    return fail(errc::unavailable, "users or roles were modified concurrently; retry");
}

credential_generations new_generations() {
    return {.sessions = create_era(), .tokens = create_era()};
}

result<void> check_new(const user_service::new_user& request) {
    CHECK_OK(access::check_user_name(request.name));
    CHECK_OK(access::check_account_text("`full_name`", request.full_name));
    CHECK_OK(access::check_account_text("`email`", request.email));
    if (request.kind == user_kind::service && (request.password || request.pam))
        return fail(errc::invalid, "service users have no password; use tokens");
    if (request.pam && request.password)
        return fail(errc::invalid, "passwords of PAM users are managed by PAM");
    if (request.password) {
        CHECK_OK(access::check_new_password(*request.password, request.name));
    }
    return {};
}

result<void> change_grants(user_record& user, const user_service::changes& changes) {
    for (const auto& grant : changes.added_grants)
        if (std::ranges::find(user.grants, grant) == user.grants.end())
            user.grants.push_back(grant);
    if (!changes.removed_role) return {};
    const auto removed_count = std::erase_if(user.grants, [&](const access::grant& grant) {
        return grant.role == *changes.removed_role;
    });
    if (removed_count == 0)
        return fail(
            errc::invalid,
            fmt::format(
                "user \"{}\" does not have the role \"{}\"", user.name, *changes.removed_role));
    return {};
}

}  // namespace

async<user_service::added_user> user_service::add(identity actor, new_user request) {
    CO_CHECK_OK(check_new(request));
    if (deps_.people.read()->users->size() >= limits::users_max)
        co_return fail(errc::conflict, fmt::format("limit of {} users reached", limits::users_max));
    CO_TRY(const auto roles, co_await read_granted_roles(deps_.metastore, request.grants));
    CO_CHECK_OK(check_grants(request.grants, roles.role_rights, *actor.zones));
    CO_CHECK_OK(check_may_manage(actor, request.grants, roles.role_rights));
    added_user added{
        .user =
            {.record =
                 {.name = request.name,
                  .full_name = std::move(request.full_name),
                  .email = std::move(request.email),
                  .grants = request.grants,
                  .pam = request.pam,
                  .kind = request.kind,
                  .current = new_generations(),
                  .made = deps_.clock.wall()}},
        .one_time_password = {}};
    auto& record = added.user.record;
    if (record.kind == user_kind::person && !record.pam) {
        if (!request.password) added.one_time_password = os::random_password();
        record.must_change = request.must_change || !request.password;
        CO_TRY(
            record.password_hash,
            co_await deps_.checks.hash(request.password.value_or(added.one_time_password)));
    }
    const auto key = keys::user(record.name);
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(record)});
    lock_roles(change, record.grants, roles);
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(change)));
    added.user.modified = outcome.at;
    if (outcome.committed) co_return added;
    const auto is_user_key = [&key](const kv::entry& entry) {
        return entry.key == key;
    };
    if (std::ranges::any_of(outcome.current, is_user_key))
        co_return fail(errc::conflict, fmt::format("user \"{}\" already exists", record.name));
    co_return changed_meanwhile();
}

async<versioned<user_record>> user_service::find(std::string name) {
    CO_TRY(const auto stored, co_await deps_.metastore.get(keys::user(name)));
    if (!stored.found) co_return user_not_found(name);
    CO_TRY(auto record, decode_user(stored.found->value));
    co_return versioned<user_record>{
        .record = std::move(record), .modified = stored.found->modified, .lease = {}};
}

// The condition must hold until the commit, so two admins cannot demote each other at the same
// time.
async<kv::condition> user_service::find_other_admin(std::string excluded) {
    kv::range_request request{.prefix = std::string(keys::users)};
    while (true) {
        CO_TRY(const auto page, co_await deps_.metastore.range(request));
        for (const auto& entry : page.entries) {
            const auto user = decode_user(entry.value);
            if (user && user->name != excluded && is_cluster_admin(*user))
                co_return kv::condition(kv::unchanged{entry.key, entry.modified});
        }
        if (!page.more || page.entries.empty()) break;
        request.after = page.entries.back().key;
    }
    co_return fail(
        errc::conflict,
        fmt::format(
            "user \"{}\" is the last enabled admin of the whole cluster; create another admin "
            "first",
            excluded));
}

async<std::optional<versioned<user_record>>> user_service::try_update(
    identity actor, std::string name, user_update request) {
    CO_TRY(const auto before, co_await find(name));
    if (request.expected && *request.expected != before.modified)
        co_return fail(
            errc::conflict, fmt::format("user \"{}\" was modified concurrently; retry", name));
    CO_TRY(const auto updated, request.decide(before.record));
    auto grants = before.record.grants;
    if (updated) std::ranges::copy(updated->grants, std::back_inserter(grants));
    CO_TRY(const auto roles, co_await read_granted_roles(deps_.metastore, std::move(grants)));
    if (request.mode == authorization_mode::manager) {
        CO_CHECK_OK(check_may_manage(actor, before.record.grants, roles.role_rights));
    }
    kv::transaction change;
    const auto key = keys::user(name);
    change.when.emplace_back(kv::unchanged{key, before.modified});
    if (updated) {
        if (updated->grants != before.record.grants) {
            CO_CHECK_OK(check_grants(updated->grants, roles.role_rights, *actor.zones));
            CO_CHECK_OK(check_may_manage(actor, updated->grants, roles.role_rights));
            lock_roles(change, updated->grants, roles);
        }
        change.then.emplace_back(kv::put{.key = key, .value = encode(*updated)});
    } else {
        change.then.emplace_back(kv::erase{key});
    }
    if (is_cluster_admin(before.record) && !(updated && is_cluster_admin(*updated))) {
        CO_TRY(auto other_admin, co_await find_other_admin(name));
        change.when.push_back(std::move(other_admin));
    }
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(change)));
    if (!outcome.committed) co_return std::optional<versioned<user_record>>();
    const auto generations =
        updated ? updated->current : credential_generations{.sessions = "none", .tokens = "none"};
    if (generations != before.record.current)
        ignore_error(
            co_await erase_outdated(name, generations),
            "credentials of an older generation are not accepted");
    co_return std::optional(
        versioned<user_record>{.record = updated.value_or(before.record), .modified = outcome.at});
}

async<versioned<user_record>> user_service::apply_update(
    identity actor, std::string name, user_update request) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto updated, co_await try_update(actor, name, request));
        if (updated) co_return *std::move(updated);
    }
    co_return changed_meanwhile();
}

// Erases cached credentials of old generations. This only tidies up, because they are invalid
// already.
async<void> user_service::erase_outdated(std::string name, credential_generations generations) {
    const auto snapshot = deps_.people.read();
    for (const auto& [digest, session] : *snapshot->sessions) {
        if (session.record.user != name || session.record.era == generations.sessions) continue;
        ignore_error(co_await deps_.metastore.revoke(session.lease), "the lease expires");
    }
    kv::transaction change;
    for (const auto& [digest, token] : *snapshot->tokens) {
        if (token.record.user != name || token.record.era == generations.tokens) continue;
        if (change.then.size() < kv::limits::operations_max)
            change.then.emplace_back(kv::erase{keys::token(digest)});
    }
    if (!change.then.empty()) {
        CO_CHECK_OK(co_await deps_.metastore.commit(std::move(change)));
    }
    co_return result<void>();
}

async<versioned<user_record>> user_service::change(
    identity actor, std::string name, changes changes) {
    CO_CHECK_OK(access::check_account_text("`full_name`", changes.full_name.value_or("")));
    CO_CHECK_OK(access::check_account_text("`email`", changes.email.value_or("")));
    const auto expected = changes.expected;
    user_update request{
        .decide = [changes =
                       std::move(changes)](user_record user) -> result<std::optional<user_record>> {
            if (changes.full_name) user.full_name = *changes.full_name;
            if (changes.email) user.email = *changes.email;
            if (changes.grants) user.grants = *changes.grants;
            CHECK_OK(change_grants(user, changes));
            if (changes.pam && user.kind == user_kind::service)
                return fail(errc::invalid, "service users have no password; use tokens");
            if (changes.pam && *changes.pam != user.pam) {
                // Old passwords must not become valid again.
                user.pam = *changes.pam;
                user.password_hash.clear();
                user.must_change = false;
                user.current = new_generations();
            }
            return std::optional(std::move(user));
        },
        .expected = expected};
    co_return co_await apply_update(std::move(actor), std::move(name), std::move(request));
}

async<void> user_service::remove(identity actor, std::string name) {
    user_update request{.decide = [](const user_record&) -> result<std::optional<user_record>> {
        return std::optional<user_record>();
    }};
    const auto updated =
        co_await apply_update(std::move(actor), std::move(name), std::move(request));
    if (!updated) co_return fail(updated.error());
    co_return result<void>();
}

async<void> user_service::disable(identity actor, std::string name) {
    user_update request{.decide = [](user_record user) -> result<std::optional<user_record>> {
        user.disabled = true;
        user.current = new_generations();
        return std::optional(std::move(user));
    }};
    const auto updated =
        co_await apply_update(std::move(actor), std::move(name), std::move(request));
    if (!updated) co_return fail(updated.error());
    co_return result<void>();
}

async<void> user_service::enable(identity actor, std::string name) {
    user_update request{.decide = [](user_record user) -> result<std::optional<user_record>> {
        user.disabled = false;
        return std::optional(std::move(user));
    }};
    const auto updated =
        co_await apply_update(std::move(actor), std::move(name), std::move(request));
    if (!updated) co_return fail(updated.error());
    co_return result<void>();
}

async<void> user_service::end_sessions(identity actor, std::string name) {
    const bool is_own = is_own_credential(actor, {.user = name, .id = {}});
    user_update request{
        .decide = [](user_record user) -> result<std::optional<user_record>> {
            user.current.sessions = create_era();
            return std::optional(std::move(user));
        },
        .mode = is_own ? authorization_mode::own_account : authorization_mode::manager};
    const auto updated =
        co_await apply_update(std::move(actor), std::move(name), std::move(request));
    if (!updated) co_return fail(updated.error());
    co_return result<void>();
}

}  // namespace muster::people
