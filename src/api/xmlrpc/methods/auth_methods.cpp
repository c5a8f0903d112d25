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
constexpr std::int64_t login_failed_fault = 2950;

}  // namespace

// The authenticator audits every attempt itself.
operation login_method(std::string name) {
    return {
        .name = std::move(name),
        .summary = "Log in with a password",
        .method = verb::post,
        .takes =
            {argument("login", text(access::user_name_bytes_max)),
             argument("password", text(password_bytes_max))},
        .gives = text(),
        .read_only = true};
}

result<void> auth_methods::declare(method_registry& registry) {
    const fault_codes codes{.denied = login_failed_fault};
    CHECK_OK(
        registry.add({login_method("auth.login"), handler(this, &auth_methods::log_in), codes}));
    auto with_duration = login_method("auth.login");
    // The idle timeout of sessions applies, whatever duration a client asks for.
    with_duration.takes.push_back(argument("duration", integer(0)));
    CHECK_OK(registry.add({std::move(with_duration), handler(this, &auth_methods::log_in), codes}));
    CHECK_OK(registry.add(
        {{.name = "auth.logout",
          .summary = "End this session on all servers",
          .method = verb::post,
          .gives = integer(1, 1),
          .needed = right::self,
          .allowed_before_password_change = true},
         handler(this, &auth_methods::log_out)}));
    return registry.add(
        {{.name = "auth.isSessionKeyValid",
          .summary = "Check whether a session key is valid",
          .takes = {argument("sessionKey", text())},
          .gives = flag()},
         handler(this, &auth_methods::is_valid)});
}

async<method_response> auth_methods::log_in(call call) {
    people::credentials credentials{
        .user = call.text("login"),
        .password = call.text("password"),
        .origin = call.caller().origin};
    if (credentials.user.empty() || credentials.password.empty())
        co_return fail(errc::denied, "user name and password must not be empty");
    auto work = call.context().people.authentication.login(std::move(credentials));
    CO_TRY(const auto outcome, co_await within(clock_, engine_timeout, std::move(work)));
    if (const auto* throttled = std::get_if<people::login_throttled>(&outcome))
        co_return fail(
            errc::denied,
            fmt::format(
                "too many failed logins; retry in {} s",
                std::chrono::ceil<std::chrono::seconds>(throttled->wait).count()));
    co_return method_response{
        session_key(std::get<people::authenticator::opened_session>(outcome).secret)};
}

async<method_response> auth_methods::log_out(call call) {
    const people::identity& caller = call.caller();
    auto work = call.context().people.authentication.logout(caller);
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return method_response{1};
}

async<method_response> auth_methods::is_valid(call call) {
    auto lookup = call.context().people.authentication.identify(
        key_secret(call.text("sessionKey")), call.caller().origin);
    const auto identity = co_await within(clock_, engine_timeout, std::move(lookup));
    if (!identity && identity.error().code() != errc::denied) co_return fail(identity.error());
    co_return method_response{identity.has_value()};
}

}  // namespace muster::xmlrpc_api
