#include "api/operations/session_cookie.h"

#include <algorithm>

namespace muster::api {
namespace {

constexpr std::string_view own_name = "__Host-muster";
constexpr std::string_view bounds = "; Path=/; Secure; HttpOnly; SameSite=Strict";

}  // namespace

std::string session_cookie(std::string_view secret) {
    return std::string(own_name) + "=" + std::string(secret) + std::string(bounds);
}

std::string no_session_cookie() {
    return std::string(own_name) + "=" + std::string(bounds) + "; Max-Age=0";
}

std::optional<std::string> cookie_in(std::string_view cookies, std::string_view name) {
    while (!cookies.empty()) {
        const auto end = std::min(cookies.find(';'), cookies.size());
        auto one = cookies.substr(0, end);
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        if (one.starts_with(name) && one.substr(name.size()).starts_with('='))
            return std::string(one.substr(name.size() + 1));
    }
    return std::nullopt;
}

std::optional<std::string> session_in(std::string_view cookies) {
    return cookie_in(cookies, own_name);
}

}  // namespace muster::api
