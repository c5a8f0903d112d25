#include "api/rest/own_account_api.h"

#include "api/operations/session_cookie.h"
#include "api/operations/too_many_requests.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;

constexpr std::int64_t password_bytes_max = 1024;

operation own_account_operation(
    std::string name, std::string summary, verb method, std::string path) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .method = method,
        .path = std::move(path),
        .gives = record_of({required("done", flag())}),
        .needed = access::right::self,
        .allowed_before_password_change = true};
}

const people::identity& self(const call& call) {
    return call.caller();
}

// The zones of each right; rights that hold nowhere are left out.
json::object rights_of(const call& call) {
    json::object result;
    for (const auto right : access::all_rights()) {
        if (!call.caller().may.anywhere(right)) continue;
        json::value zone_names;
        if (const auto zones = call.zones_with(right)) {
            json::array names;
            for (const auto& zone : *zones) names.emplace_back(zone);
            zone_names = std::move(names);
        }
        result.emplace(access::to_string(right), std::move(zone_names));
    }
    return result;
}

}  // namespace

result<void> own_account_api::declare(registry& operations) {
    auto show = own_account_operation(
        "me.show", "Get the current user and the rights by zone", verb::get, "/api/v1/me");
    show.gives = record_of(
        {required("user", name()),
         required(
             "must_change", flag().with_about("password must be changed before other requests")),
         required("by", name().with_about("authentication: session or token")),
         required("csrf", text().with_about("value of X-Muster-CSRF for changes with a cookie")),
         required(
             "rights",
             map_of(list_of(name()).or_nothing())
                 .with_about("zones by right; null for the whole cluster"))});
    CHECK_OK(operations.add(std::move(show), handler(this, &own_account_api::show)));
    auto password = own_account_operation(
        "me.password",
        "Update your password and end all your sessions and tokens",
        verb::post,
        "/api/v1/me/password");
    password.takes = {
        in_body("old", text(password_bytes_max)), in_body("new", text(password_bytes_max))};
    for (auto& parameter : password.takes) parameter.secret = true;
    // Secrets are not part of the request digest, so two different requests look alike.
    password.gives_secret = true;
    CHECK_OK(operations.add(std::move(password), handler(this, &own_account_api::set_password)));
    return operations.add(
        own_account_operation(
            "me.logout", "Log out of the current session", verb::post, "/api/v1/logout"),
        handler(this, &own_account_api::log_out));
}

async<reply> own_account_api::show(call call) {
    const auto& caller = call.caller();
    co_return reply{json::object{
        {"user", caller.user},
        {"must_change", caller.must_change},
        {"by", caller.credential == people::identity::credential_kind::token ? "token" : "session"},
        {"csrf", caller.csrf},
        {"rights", rights_of(call)}}};
}

async<reply> own_account_api::set_password(call call) {
    auto work = call.context().people.users.set_own_password(
        self(call),
        {.current = call.text("old"), .updated = call.text("new"), .origin = call.caller().origin});
    CO_TRY(const auto throttled, co_await within(clock_, engine_timeout, std::move(work)));
    if (throttled) {
        auto response = too_many_wrong_passwords(throttled->wait);
        response.recorded = true;  // no attempt was made
        co_return response;
    }
    co_return reply{json::object{{"done", true}}};
}

async<reply> own_account_api::log_out(call call) {
    const people::identity& caller = call.caller();
    auto work = call.context().people.authentication.logout(caller);
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{
        .content = json::object{{"done", true}},
        .fields = {{"Set-Cookie", expired_session_cookie()}}};
}

}  // namespace muster::api
