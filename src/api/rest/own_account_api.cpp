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

operation own(std::string name, std::string summary, verb method, std::string path) {
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
    return call.who();
}

// Where each right holds; a right that holds nowhere is not among them.
json::object rights_of(const call& call) {
    json::object result;
    for (const auto all_right : access::all_rights()) {
        if (!call.who().may.anywhere(all_right)) continue;
        json::value where;
        if (const auto zones = call.zones_with(all_right)) {
            json::array names;
            for (const auto& zone : *zones) names.emplace_back(zone);
            where = std::move(names);
        }
        result.emplace(access::to_string(all_right), std::move(where));
    }
    return result;
}

}  // namespace

result<void> own_account_api::declare(registry& to) {
    auto show = own("me.show", "Who asks, and what they may do where", verb::get, "/api/v1/me");
    show.gives = record_of(
        {required("user", name()),
         required("must_change", flag().with_about("only the own password may be changed")),
         required("by", name().with_about("session or token")),
         required("csrf", text().with_about("what changes that come with a cookie bring along")),
         required(
             "rights",
             map_of(list_of(name()).or_nothing()).with_about("the zones; nothing: everywhere"))});
    CHECK_OK(to.add(std::move(show), done_by(this, &own_account_api::show)));
    auto password =
        own("me.password",
            "Changes the own password; ends all sessions and tokens, this one too",
            verb::post,
            "/api/v1/me/password");
    password.takes = {
        in_body("old", text(password_bytes_max)), in_body("new", text(password_bytes_max))};
    for (auto& take : password.takes) take.secret = true;
    // Two such requests look alike, since secrets are no part of what is compared.
    password.gives_secret = true;
    CHECK_OK(to.add(std::move(password), done_by(this, &own_account_api::set_password)));
    return to.add(
        own("me.logout", "Ends this session on every server", verb::post, "/api/v1/logout"),
        done_by(this, &own_account_api::log_out));
}

async<reply> own_account_api::show(call call) {
    const auto& who = call.who();
    co_return reply{json::object{
        {"user", who.user},
        {"must_change", who.must_change},
        {"by", who.how == people::identity::door::token ? "token" : "session"},
        {"csrf", who.csrf},
        {"rights", rights_of(call)}}};
}

async<reply> own_account_api::set_password(call call) {
    auto work = call.context().people.users.set_own_password(
        self(call),
        {.before = call.text("old"), .next = call.text("new"), .origin = call.who().origin});
    CO_TRY(const auto limited, co_await within(clock_, engine_timeout, std::move(work)));
    if (limited) {
        auto later = retry_later(limited->wait);
        later.recorded = true;  // nothing was tried
        co_return later;
    }
    co_return reply{json::object{{"done", true}}};
}

async<reply> own_account_api::log_out(call call) {
    auto work = call.context().people.entrance.logout(call.who());
    CO_CHECK_OK(co_await within(clock_, engine_timeout, std::move(work)));
    co_return reply{
        .content = json::object{{"done", true}}, .fields = {{"Set-Cookie", no_session_cookie()}}};
}

}  // namespace muster::api
