// Changes of passwords and unlocking.
#include "adapters/os/random.h"
#include "core/access/account_rules.h"
#include "services/people/grant_checks.h"
#include "services/people/secret.h"
#include "services/people/user_service.h"

#include <fmt/format.h>

#include <utility>

namespace muster::people {
namespace {

static_assert(access::password_length_bytes_max <= os::password_bytes_max);

result<std::optional<user_record>> with_password(
    user_record user, std::string hash, bool must_change) {
    if (user.kind == user_kind::service)
        return fail(errc::invalid, "service users have no password; use tokens");
    if (user.pam) return fail(errc::invalid, "passwords of PAM users are managed by PAM");
    user.password_hash = std::move(hash);
    user.must_change = must_change;
    user.current = {.sessions = create_era(), .tokens = create_era()};
    return std::optional(std::move(user));
}

}  // namespace

async<std::optional<login_throttled>> user_service::set_own_password(
    identity actor, own_password passwords) {
    if (actor.credential != identity::credential_kind::session)
        co_return fail(errc::denied, "a token cannot change the password; log in with a password");
    CO_CHECK_OK(access::check_new_password(passwords.updated, actor.user));
    if (passwords.updated == passwords.current)
        co_return fail(errc::invalid, "new password must differ from the current password");
    CO_TRY(
        const auto checked,
        co_await deps_.checks.check(
            {.user = actor.user,
             .password = std::move(passwords.current),
             .origin = std::move(passwords.origin)}));
    if (const auto* wait = std::get_if<login_throttled>(&checked)) co_return std::optional(*wait);
    CO_TRY(auto hash, co_await deps_.checks.hash(std::move(passwords.updated)));
    const auto name = actor.user;
    user_update request{
        .decide = [hash](user_record user) { return with_password(std::move(user), hash, false); },
        .expected = std::get<versioned<user_record>>(checked).modified,
        .mode = authorization_mode::own_account};
    const auto updated = co_await apply_update(std::move(actor), name, std::move(request));
    if (!updated) co_return fail(updated.error());
    if (deps_.listener != nullptr) deps_.listener->password_changed(name);
    co_return std::optional<login_throttled>();
}

async<std::string> user_service::set_password(
    identity actor, std::string name, others_password request) {
    if (actor.user == name)
        co_return fail(errc::invalid, "current password required to change your own password");
    if (request.password) {
        CO_CHECK_OK(access::check_new_password(*request.password, name));
    }
    const auto generated = request.password ? std::string() : os::random_password();
    const bool must_change = request.must_change || !request.password;
    // Checks the rights first, because hashing is expensive.
    CO_CHECK_OK(co_await find(name));
    CO_CHECK_OK(co_await check_may_manage_user(deps_.metastore, actor, name));
    CO_TRY(auto hash, co_await deps_.checks.hash(request.password.value_or(generated)));
    user_update update{.decide = [hash, must_change](user_record user) {
        return with_password(std::move(user), hash, must_change);
    }};
    const auto updated = co_await apply_update(std::move(actor), name, std::move(update));
    if (!updated) co_return fail(updated.error());
    if (deps_.listener != nullptr) deps_.listener->password_changed(name);
    co_return generated;
}

async<void> user_service::unlock(identity actor, std::string name) {
    CO_CHECK_OK(co_await find(name));
    CO_CHECK_OK(co_await check_may_manage_user(deps_.metastore, actor, name));
    co_return co_await deps_.checks.unlock(std::move(name));
}

}  // namespace muster::people
