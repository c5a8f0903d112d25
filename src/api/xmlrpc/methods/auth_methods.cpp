#include "api/xmlrpc/methods/auth_methods.h"

#include "api/xmlrpc/calls/session_key.h"
#include "core/access/account_rules.h"
#include "ports/deadline.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;
using api::engine_timeout;

constexpr std::int64_t password_bytes_max = 1024;
constexpr std::int64_t login_failed = 2950;

}  // namespace

// The gate itself writes down every attempt.
operation login_called(std::string name) {
    return {
        .name = std::move(name),
        .summary = "Logs in with a password",
        .method = verb::post,
        .takes =
            {argument("login", text(access::user_name_bytes_max)),
             argument("password", text(password_bytes_max))},
        .gives = text(),
        .read_only = true};
}

result<void> auth_methods::declare(method_registry& to) {
    const fault_codes codes{.denied = login_failed};
    CHECK_OK(to.add({login_called("auth.login"), done_by(this, &auth_methods::log_in), codes}));
    auto with_duration = login_called("auth.login");
    // Sessions end when they were not used for a while, whatever a client asks for.
    with_duration.takes.push_back(argument("duration", integer(0)));
    CHECK_OK(to.add({std::move(with_duration), done_by(this, &auth_methods::log_in), codes}));
    CHECK_OK(to.add(
        {{.name = "auth.logout",
          .summary = "Ends this session on every server",
          .method = verb::post,
          .gives = integer(1, 1),
          .needed = right::self,
          .allowed_before_password_change = true},
         done_by(this, &auth_methods::log_out)}));
    return to.add(
        {{.name = "auth.isSessionKeyValid",
          .summary = "Whether a session's key lets somebody in",
          .takes = {argument("sessionKey", text())},
          .gives = flag()},
         done_by(this, &auth_methods::is_valid)});
}

async<answer> auth_methods::log_in(call call) {
    people::credentials credentials{
        .user = call.text("login"), .password = call.text("password"), .origin = call.who().origin};
    if (credentials.user.empty() || credentials.password.empty())
        co_return fail(errc::denied, "Neither the user's name nor the password may be empty.");
    auto work = call.context().people.entrance.login(std::move(credentials));
    CO_TRY(const auto ended, co_await within(clock_, engine_timeout, std::move(work)));
    if (const auto* limited = std::get_if<people::login_throttled>(&ended))
        co_return fail(
            errc::denied,
            fmt::format(
                "There were too many failed logins: wait {} s before trying again.",
                std::chrono::ceil<std::chrono::seconds>(limited->wait).count()));
    co_return answer{session_key(std::get<people::authenticator::opened_session>(ended).secret)};
}

async<answer> auth_methods::log_out(call call) {
    auto work = call.context().people.entrance.logout(call.who());
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return answer{1};
}

async<answer> auth_methods::is_valid(call call) {
    auto looking = call.context().people.entrance.identify(
        secret_in(call.text("sessionKey")), call.who().origin);
    const auto who = co_await within(clock_, engine_timeout, std::move(looking));
    if (!who && who.error().code() != errc::denied) co_return fail(who.error());
    co_return answer{who.has_value()};
}

}  // namespace muster::xmlrpc_api
