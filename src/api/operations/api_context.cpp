#include "api/operations/api_context.h"

#include "api/operations/session_cookie.h"
#include "ports/deadline.h"

namespace muster::api {
namespace {

namespace http = net::http;

constexpr std::string_view bearer = "Bearer ";

struct shown_secret {
    std::string secret;  // empty, which is nobody's, when there is none
    bool by_cookie = false;
};

// What stands after "Bearer", or in the cookie.
shown_secret secret_of(const http::request& request) {
    const auto authorization = request.field("Authorization").value_or("");
    if (authorization.starts_with(bearer))
        return {.secret = std::string(authorization.substr(bearer.size()))};
    const auto cookie = session_in(request.field("Cookie").value_or(""));
    return {.secret = cookie.value_or(""), .by_cookie = cookie.has_value()};
}

}  // namespace

void request_authenticator::open(std::shared_ptr<api_context> opened) {
    const std::lock_guard lock(guard_);
    api_context_ = std::move(opened);
}

result<std::shared_ptr<api_context>> request_authenticator::enter() const {
    const std::lock_guard lock(guard_);
    if (!api_context_) return fail(errc::unavailable, "the server is starting");
    return api_context_;
}

async<caller> request_authenticator::admit(const http::request& request) const {
    auto secret = secret_of(request);
    return admit_with(
        std::move(secret.secret), request.client_address().to_string(), secret.by_cookie);
}

async<caller> request_authenticator::admit_with(
    std::string secret, std::string origin, bool by_cookie) const {
    CO_TRY(auto desk, enter());
    auto looking = desk->people.entrance.identify(std::move(secret), origin);
    CO_TRY(auto who, co_await within(clock_, engine_timeout, std::move(looking)));
    co_return caller{std::move(who), std::move(desk), std::move(origin), by_cookie};
}

result<caller> request_authenticator::admit_anybody(const http::request& request) const {
    TRY(auto desk, enter());
    return caller{people::identity(), std::move(desk), request.client_address().to_string()};
}

http::response refused(const error& failure) {
    if (failure.code() == errc::denied) {
        auto answer = http::problem(401, failure.detail());
        answer.fields.emplace_back("WWW-Authenticate", "Bearer realm=\"muster\"");
        return answer;
    }
    return problem_of(failure);
}

http::response problem_of(const error& failure) {
    if (failure.code() == errc::timed_out)
        return http::problem(error(errc::unavailable, failure.detail()));
    return http::problem(failure);
}

bool from_another_site(const http::request& request) {
    const auto origin = request.field("Origin");
    if (!origin) return false;
    return *origin != "https://" + std::string(request.field("Host").value_or(""));
}

http::response no_store(http::response answer) {
    answer.fields.emplace_back("Cache-Control", "no-store");
    return answer;
}

}  // namespace muster::api
