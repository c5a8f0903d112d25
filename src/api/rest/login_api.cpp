#include "api/rest/login_api.h"

#include "adapters/net/http/response.h"
#include "api/operations/session_cookie.h"
#include "api/operations/too_many_requests.h"
#include "base/iso_time.h"
#include "core/access/account_rules.h"
#include "ports/deadline.h"

#include <boost/json.hpp>

#include <utility>
#include <variant>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t password_bytes_max = 1024;
constexpr std::int64_t body_bytes_max = 8 * std::int64_t{1024};

runtime::metric_name login_counter(const char* outcome) {
    return {
        "muster_logins_total",
        "Total number of login attempts since start, by outcome.",
        {{"outcome", outcome}}};
}

reply login_refused(const error& failure) {
    auto response = authentication_problem(failure);
    return reply{
        .content = nullptr,
        .recorded = true,
        .status = response.status,
        .raw =
            reply::document{.media = "application/problem+json", .body = std::move(response.body)}};
}

}  // namespace

login_api::login_api(muster::clock& clock, runtime::metrics& metrics)
    : clock_(clock),
      succeeded_(metrics.make_counter(login_counter("done"))),
      refused_(metrics.make_counter(login_counter("refused"))),
      limited_(metrics.make_counter(login_counter("limited"))) {}

result<void> login_api::declare(registry& operations) {
    using namespace api;
    return operations.add(
        {.name = "me.login",
         .summary = "Log in with a password",
         .method = verb::post,
         .path = "/api/v1/login",
         .takes =
             {in_body(
                  "user",
                  text(access::user_name_bytes_max).with_bounds(1, access::user_name_bytes_max)),
              in_body("password", text(password_bytes_max).with_bounds(1, password_bytes_max)),
              optional_in_body(
                  "cookie",
                  flag().with_about(
                      "return a session cookie instead of the token (for browsers)"))},
         .gives = record_of(
             {optional("token", text()),
              required("user", name()),
              required("expires", api::time()),
              required(
                  "must_change",
                  flag().with_about("password must be changed before other requests")),
              required(
                  "csrf",
                  text().with_about("value of X-Muster-CSRF for requests with the cookie"))}),
         .body_bytes_max = body_bytes_max},
        handler(this, &login_api::log_in));
}

async<reply> login_api::log_in(call call) {
    people::credentials credentials{
        .user = call.text("user"),
        .password = call.text("password"),
        .origin = call.caller().origin};
    auto work = call.context().people.authentication.login(std::move(credentials));
    const auto outcome = co_await within(clock_, engine_timeout, std::move(work));
    if (!outcome && outcome.error().code() == errc::denied) {
        refused_.add();
        co_return login_refused(outcome.error());
    }
    CO_CHECK_OK(outcome);
    if (const auto* limited = std::get_if<people::login_throttled>(&*outcome)) {
        limited_.add();
        auto throttled = too_many_wrong_passwords(limited->wait);
        throttled.recorded = true;
        co_return throttled;
    }
    succeeded_.add();
    const auto& session = std::get<people::authenticator::opened_session>(*outcome);
    reply result{
        .content =
            json::object{
                {"user", session.user},
                {"expires", iso_time(session.expires)},
                {"must_change", session.must_change},
                {"csrf", session.csrf}},
        .recorded = true};
    if (call.flag("cookie")) {
        result.fields.emplace_back("Set-Cookie", session_cookie(session.secret));
    } else {
        result.content.as_object()["token"] = session.secret;
    }
    co_return result;
}

}  // namespace muster::api
