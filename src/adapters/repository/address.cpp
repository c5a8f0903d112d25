#include "adapters/repository/address.h"

#include <algorithm>

namespace muster::repository {
namespace {

constexpr std::size_t path_bytes_max = 1024;
constexpr std::string_view file_scheme = "file://";

bool is_printable(std::string_view text) {
    return std::ranges::all_of(
        text, [](char character) { return character > ' ' && character < '\x7f'; });
}

bool has_dot_segment(std::string_view path) {
    while (true) {
        const auto end = path.find('/');
        const auto part = path.substr(0, end);
        if (part == ".." || part == ".") return true;
        if (end == std::string_view::npos) return false;
        path.remove_prefix(end + 1);
    }
}

std::string strip_slashes(std::string_view text) {
    while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
    return std::string(text);
}

}  // namespace

result<address> parse_address(std::string_view text) {
    if (text.size() > address_bytes_max || !is_printable(text))
        return fail(
            errc::invalid,
            "repository URL must have at most 2048 printable characters and no spaces");
    if (text.starts_with("https://") || text.starts_with("http://")) {
        if (text.contains('@') || text.contains('#') || text.contains('?'))
            return fail(errc::invalid, "repository URL must not have a user, query or fragment");
        return address{.local = false, .base = strip_slashes(text)};
    }
    if (text.starts_with(file_scheme)) text.remove_prefix(file_scheme.size());
    if (!text.starts_with('/') || has_dot_segment(text))
        return fail(
            errc::invalid,
            "repository URL must start with https://, http:// or file:///, without . or .. "
            "segments");
    return address{.local = true, .base = strip_slashes(text)};
}

result<void> check_path(std::string_view path) {
    const bool valid = !path.empty() && path.size() <= path_bytes_max && !path.starts_with('/')
                       && is_printable(path) && !path.contains("://")
                       && path.find_first_of("\\?#%") == std::string_view::npos
                       && !has_dot_segment(path);
    if (valid) return {};
    return fail(errc::invalid, "repository lists a file outside of the repository; file refused");
}

result<std::string> resolve_redirect(std::string_view url, std::string_view location) {
    location = location.substr(0, location.find('#'));
    const auto scheme = url.find("://");
    if (location.empty() || scheme == std::string_view::npos)
        return fail(errc::invalid, "redirect without a target");
    const bool absolute = location.starts_with("https://") || location.starts_with("http://");
    if (absolute) return std::string(location);
    if (location.starts_with("//"))
        return std::string(url.substr(0, scheme + 1)) + std::string(location);
    const auto path_start = std::min(url.find_first_of("/?", scheme + 3), url.size());
    if (location.starts_with('/'))
        return std::string(url.substr(0, path_start)) + std::string(location);
    // A colon before any slash is another scheme.
    if (location.substr(0, location.find_first_of("/?")).contains(':'))
        return fail(errc::invalid, "redirect to a scheme other than https or http");
    const auto query_start = std::min(url.find('?', path_start), url.size());
    if (location.starts_with('?'))
        return std::string(url.substr(0, query_start)) + std::string(location);
    const auto slash = url.substr(0, query_start).rfind('/');
    const bool has_path = path_start < query_start && slash >= path_start;
    return std::string(has_path ? url.substr(0, slash) : url.substr(0, path_start)) + "/"
           + std::string(location);
}

std::string join_path(const address& address, std::string_view path) {
    return address.base + "/" + std::string(path);
}

}  // namespace muster::repository
