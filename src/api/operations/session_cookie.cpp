#include "api/operations/session_cookie.h"

#include <algorithm>

namespace muster::api {
namespace {

constexpr std::string_view cookie_name = "__Host-muster";
constexpr std::string_view attributes = "; Path=/; Secure; HttpOnly; SameSite=Strict";

}  // namespace

std::string session_cookie(std::string_view secret) {
    return std::string(cookie_name) + "=" + std::string(secret) + std::string(attributes);
}

std::string expired_session_cookie() {
    return std::string(cookie_name) + "=" + std::string(attributes) + "; Max-Age=0";
}

std::optional<std::string> find_cookie(std::string_view cookies, std::string_view name) {
    while (!cookies.empty()) {
        const auto end = std::min(cookies.find(';'), cookies.size());
        auto cookie = cookies.substr(0, end);
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
        while (cookie.starts_with(' ')) cookie.remove_prefix(1);
        if (cookie.starts_with(name) && cookie.substr(name.size()).starts_with('='))
            return std::string(cookie.substr(name.size() + 1));
    }
    return std::nullopt;
}

std::optional<std::string> find_session_secret(std::string_view cookies) {
    return find_cookie(cookies, cookie_name);
}

}  // namespace muster::api
