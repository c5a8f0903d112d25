#include "api/operations/api_context.h"

#include "api/operations/session_cookie.h"
#include "ports/deadline.h"

namespace muster::api {
namespace {

namespace http = net::http;

constexpr std::string_view bearer = "Bearer ";

struct presented_secret {
    std::string secret;  // empty: none, matches nobody
    bool by_cookie = false;
};

// The bearer token, or else the session cookie.
presented_secret read_secret(const http::request& request) {
    const auto authorization = request.field("Authorization").value_or("");
    if (authorization.starts_with(bearer))
        return {.secret = std::string(authorization.substr(bearer.size()))};
    const auto cookie = find_session_secret(request.field("Cookie").value_or(""));
    return {.secret = cookie.value_or(""), .by_cookie = cookie.has_value()};
}

}  // namespace

void request_authenticator::open(std::shared_ptr<api_context> context) {
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
}

result<std::shared_ptr<api_context>> request_authenticator::context() const {
    const std::lock_guard lock(mutex_);
    if (!context_) return fail(errc::unavailable, "server is starting; retry later");
    return context_;
}

async<caller> request_authenticator::authenticate(const http::request& request) const {
    auto secret = read_secret(request);
    return authenticate_secret(
        std::move(secret.secret), request.client_address().to_string(), secret.by_cookie);
}

async<caller> request_authenticator::authenticate_secret(
    std::string secret, std::string origin, bool by_cookie) const {
    CO_TRY(auto context, context());
    auto lookup = context->people.authentication.identify(std::move(secret), origin);
    CO_TRY(auto identity, co_await within(clock_, engine_timeout, std::move(lookup)));
    co_return caller{std::move(identity), std::move(context), std::move(origin), by_cookie};
}

result<caller> request_authenticator::anonymous_caller(const http::request& request) const {
    TRY(auto context, context());
    return caller{people::identity(), std::move(context), request.client_address().to_string()};
}

http::response authentication_problem(const error& failure) {
    if (failure.code() == errc::denied) {
        auto response = http::problem(401, failure.detail());
        response.fields.emplace_back("WWW-Authenticate", "Bearer realm=\"muster\"");
        return response;
    }
    return to_problem(failure);
}

http::response to_problem(const error& failure) {
    if (failure.code() == errc::timed_out)
        return http::problem(error(errc::unavailable, failure.detail()));
    return http::problem(failure);
}

bool is_cross_site(const http::request& request) {
    const auto origin = request.field("Origin");
    if (!origin) return false;
    return *origin != "https://" + std::string(request.field("Host").value_or(""));
}

http::response no_store(http::response response) {
    response.fields.emplace_back("Cache-Control", "no-store");
    return response;
}

}  // namespace muster::api
