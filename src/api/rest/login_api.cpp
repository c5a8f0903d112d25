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

runtime::metric_name logins(const char* outcome) {
    return {"muster_logins_total", "Login attempts by outcome.", {{"outcome", outcome}}};
}

reply not_let_in(const error& why) {
    auto response = refused(why);
    return reply{
        .content = nullptr,
        .recorded = true,
        .status = response.status,
        .other =
            reply::document{.media = "application/problem+json", .body = std::move(response.body)}};
}

}  // namespace

login_api::login_api(muster::clock& clock, runtime::metrics& metrics)
    : clock_(clock),
      done_(metrics.make_counter(logins("done"))),
      refused_(metrics.make_counter(logins("refused"))),
      limited_(metrics.make_counter(logins("limited"))) {}

result<void> login_api::declare(registry& to) {
    using namespace api;
    return to.add(
        {.name = "me.login",
         .summary = "Logs in with a password",
         .method = verb::post,
         .path = "/api/v1/login",
         .takes =
             {in_body(
                  "user",
                  text(access::user_name_bytes_max).with_bounds(1, access::user_name_bytes_max)),
              in_body("password", text(password_bytes_max).with_bounds(1, password_bytes_max)),
              optional_in_body(
                  "cookie", flag().with_about("for browsers: a cookie instead of the token"))},
         .gives = record_of(
             {optional("token", text()),
              required("user", name()),
              required("expires", api::time()),
              required("must_change", flag().with_about("the own password, first of all")),
              required("csrf", text().with_about("to be sent as X-Muster-CSRF with a cookie"))}),
         .body_bytes_max = body_bytes_max},
        done_by(this, &login_api::log_in));
}

async<reply> login_api::log_in(call call) {
    people::credentials credentials{
        .user = call.text("user"), .password = call.text("password"), .origin = call.who().origin};
    auto work = call.context().people.entrance.login(std::move(credentials));
    const auto answered = co_await within(clock_, engine_timeout, std::move(work));
    if (!answered && answered.error().code() == errc::denied) {
        refused_.add();
        co_return not_let_in(answered.error());
    }
    CO_CHECK_OK(answered);
    if (const auto* limited = std::get_if<people::login_throttled>(&*answered)) {
        limited_.add();
        auto later = retry_later(limited->wait);
        later.recorded = true;
        co_return later;
    }
    done_.add();
    const auto& opened = std::get<people::authenticator::opened_session>(*answered);
    reply result{
        .content =
            json::object{
                {"user", opened.user},
                {"expires", iso_time(opened.expires)},
                {"must_change", opened.must_change},
                {"csrf", opened.csrf}},
        .recorded = true};
    if (call.flag("cookie")) {
        result.fields.emplace_back("Set-Cookie", session_cookie(opened.secret));
    } else {
        result.content.as_object()["token"] = opened.secret;
    }
    co_return result;
}

}  // namespace muster::api
