#include "runtime/engine_url.h"

#include <fmt/format.h>

#include <cstddef>

namespace muster::runtime {
namespace {

constexpr std::size_t members_max = 64;

result<std::vector<endpoint>> parse_members(std::string_view text) {
    std::vector<endpoint> members;
    while (true) {
        const auto comma = text.find(',');
        TRY(auto member, parse_endpoint(text.substr(0, comma)));
        members.push_back(std::move(member));
        if (members.size() > members_max)
            return fail(errc::invalid, fmt::format("limit of {} members exceeded", members_max));
        if (comma == std::string_view::npos) return members;
        text.remove_prefix(comma + 1);
    }
}

// The text behind "scheme://", or an error that shows the right form.
result<std::string_view> authority_of(std::string_view text, std::string_view form) {
    const auto start = text.find("://");
    if (start == std::string_view::npos || start + 3 == text.size())
        return fail(errc::invalid, fmt::format("\"{}\" must have the form {}", text, form));
    return text.substr(start + 3);
}

result<engine_url> parse_postgresql(std::string_view text) {
    TRY(const auto authority, authority_of(text, "postgresql://USER@HOST:PORT/DATABASE"));
    const auto host = authority.find('@');
    const bool has_password =
        (host != std::string_view::npos && authority.substr(0, host).contains(':'))
        || authority.contains("password=");
    // The URL itself must not appear in the message: it holds the secret.
    if (has_password)
        return fail(
            errc::invalid,
            "postgresql URL must not contain a password; store the password in a file and set "
            "ledger.password_file");
    return engine_url(postgresql_url{std::string(text)});
}

result<std::vector<endpoint>> parse_cluster(std::string_view text, std::string_view form) {
    TRY(auto authority, authority_of(text, form));
    if (authority.contains('@'))
        return fail(
            errc::invalid,
            fmt::format(
                "{} URL must not contain a user or password; use the user and password_file "
                "settings",
                scheme_of(text)));
    if (authority.ends_with('/')) authority.remove_suffix(1);
    return parse_members(authority);
}

}  // namespace

std::string_view scheme_of(std::string_view url) {
    return url.substr(0, url.find(':'));
}

result<engine_url> parse_engine_url(std::string_view text) {
    const auto scheme = scheme_of(text);
    if (scheme.size() == text.size())
        return fail(
            errc::invalid,
            fmt::format("\"{}\" has no scheme; use an engine URL such as sqlite:PATH", text));
    if (scheme == "sqlite") {
        const auto path = text.substr(scheme.size() + 1);
        if (path.empty()) return fail(errc::invalid, "sqlite URL has no path; use sqlite:PATH");
        return engine_url(sqlite_url{std::string(path)});
    }
    if (scheme == "memory") {
        if (text != "memory:") return fail(errc::invalid, "memory URL must be \"memory:\"");
        return engine_url(memory_url{});
    }
    if (scheme == "etcd") {
        TRY(auto members, parse_cluster(text, "etcd://HOST:PORT,HOST:PORT"));
        return engine_url(etcd_url{std::move(members)});
    }
    if (scheme == "nats") {
        TRY(auto members, parse_cluster(text, "nats://HOST:PORT,HOST:PORT"));
        return engine_url(nats_url{std::move(members)});
    }
    if (scheme == "postgresql" || scheme == "postgres") return parse_postgresql(text);
    return fail(
        errc::invalid,
        fmt::format("unknown engine \"{}\"; use sqlite, etcd, postgresql, memory or nats", scheme));
}

}  // namespace muster::runtime
