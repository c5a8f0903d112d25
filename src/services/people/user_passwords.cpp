// How passwords are changed and locks are ended.
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
    user_record next, std::string hash, bool must_change) {
    if (next.kind == user_kind::service)
        return fail(errc::invalid, "a service has no password, it has tokens");
    if (next.pam) return fail(errc::invalid, "the password of a user of PAM is changed with PAM");
    next.password_hash = std::move(hash);
    next.must_change = must_change;
    next.current = {.sessions = make_era(), .tokens = make_era()};
    return std::optional(std::move(next));
}

}  // namespace

async<std::optional<login_throttled>> user_service::set_own_password(
    identity actor, own_password own_password) {
    if (actor.how != identity::door::session)
        co_return fail(errc::denied, "log in to change your password; a token cannot");
    CO_CHECK_OK(access::check_new_password(own_password.next, actor.user));
    if (own_password.next == own_password.before)
        co_return fail(errc::invalid, "the new password is the one so far");
    CO_TRY(
        const auto checked,
        co_await deps_.checks.check(
            {.user = actor.user,
             .password = std::move(own_password.before),
             .origin = std::move(own_password.origin)}));
    if (const auto* wait = std::get_if<login_throttled>(&checked)) co_return std::optional(*wait);
    CO_TRY(auto hash, co_await deps_.checks.hash(std::move(own_password.next)));
    const auto name = actor.user;
    alteration alteration{
        .next = [hash](user_record next) { return with_password(std::move(next), hash, false); },
        .expected = std::get<known<user_record>>(checked).modified,
        .by = consent::of_oneself};
    const auto done = co_await alter(std::move(actor), name, std::move(alteration));
    if (!done) co_return fail(done.error());
    if (deps_.listener != nullptr) deps_.listener->password_changed(name);
    co_return std::optional<login_throttled>();
}

async<std::string> user_service::set_password(
    identity actor, std::string name, others_password others_password) {
    if (actor.user == name)
        co_return fail(errc::invalid, "your own password is changed with the one so far");
    if (others_password.next) {
        CO_CHECK_OK(access::check_new_password(*others_password.next, name));
    }
    const auto made_up = others_password.next ? std::string() : os::random_password();
    const bool must_change = others_password.must_change || !others_password.next;
    // Before a password is hashed, which costs: whether it may be changed at all.
    CO_CHECK_OK(co_await find(name));
    CO_CHECK_OK(co_await check_manages_user(deps_.metastore, actor, name));
    CO_TRY(auto hash, co_await deps_.checks.hash(others_password.next.value_or(made_up)));
    alteration alteration{.next = [hash, must_change](user_record next) {
        return with_password(std::move(next), hash, must_change);
    }};
    const auto done = co_await alter(std::move(actor), name, std::move(alteration));
    if (!done) co_return fail(done.error());
    if (deps_.listener != nullptr) deps_.listener->password_changed(name);
    co_return made_up;
}

async<void> user_service::unlock(identity actor, std::string name) {
    CO_CHECK_OK(co_await find(name));
    CO_CHECK_OK(co_await check_manages_user(deps_.metastore, actor, name));
    co_return co_await deps_.checks.unlock(std::move(name));
}

}  // namespace muster::people
