#include "adapters/repository/address.h"

#include <algorithm>

namespace muster::repository {
namespace {

constexpr std::size_t path_bytes_max = 1024;
constexpr std::string_view file_scheme = "file://";

bool has_only_visible_signs(std::string_view text) {
    return std::ranges::all_of(text, [](char each) { return each > ' ' && each < '\x7f'; });
}

bool has_a_way_up(std::string_view path) {
    while (true) {
        const auto end = path.find('/');
        const auto part = path.substr(0, end);
        if (part == ".." || part == ".") return true;
        if (end == std::string_view::npos) return false;
        path.remove_prefix(end + 1);
    }
}

std::string without_slash(std::string_view text) {
    while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
    return std::string(text);
}

}  // namespace

result<address> parse_address(std::string_view text) {
    if (text.size() > address_bytes_max || !has_only_visible_signs(text))
        return fail(
            errc::invalid, "a repository's address has up to 2048 visible signs, and no blanks");
    if (text.starts_with("https://") || text.starts_with("http://")) {
        if (text.contains('@') || text.contains('#') || text.contains('?'))
            return fail(
                errc::invalid, "a repository's address has no user, no query and no fragment");
        return address{.local = false, .base = without_slash(text)};
    }
    if (text.starts_with(file_scheme)) text.remove_prefix(file_scheme.size());
    if (!text.starts_with('/') || has_a_way_up(text))
        return fail(
            errc::invalid,
            "a repository's address begins with https://, http:// or file:///, and has no . or ..");
    return address{.local = true, .base = without_slash(text)};
}

result<void> check_path(std::string_view path) {
    const bool well = !path.empty() && path.size() <= path_bytes_max && !path.starts_with('/')
                      && has_only_visible_signs(path) && !path.contains("://")
                      && path.find_first_of("\\?#%") == std::string_view::npos
                      && !has_a_way_up(path);
    if (well) return {};
    return fail(
        errc::invalid, "the repository names a file that would not lie below it; it is refused");
}

result<std::string> led_to(std::string_view from, std::string_view location) {
    location = location.substr(0, location.find('#'));
    const auto scheme = from.find("://");
    if (location.empty() || scheme == std::string_view::npos)
        return fail(errc::invalid, "the repository leads nowhere");
    const bool whole = location.starts_with("https://") || location.starts_with("http://");
    if (whole) return std::string(location);
    if (location.starts_with("//"))
        return std::string(from.substr(0, scheme + 1)) + std::string(location);
    const auto path = std::min(from.find_first_of("/?", scheme + 3), from.size());
    if (location.starts_with('/')) return std::string(from.substr(0, path)) + std::string(location);
    // A colon before any slash is another scheme.
    if (location.substr(0, location.find_first_of("/?")).contains(':'))
        return fail(errc::invalid, "the repository leads to what is neither https nor http");
    const auto query = std::min(from.find('?', path), from.size());
    if (location.starts_with('?'))
        return std::string(from.substr(0, query)) + std::string(location);
    const auto slash = from.substr(0, query).rfind('/');
    const bool has_path = path < query && slash >= path;
    return std::string(has_path ? from.substr(0, slash) : from.substr(0, path)) + "/"
           + std::string(location);
}

std::string below(const address& where, std::string_view path) {
    return where.base + "/" + std::string(path);
}

}  // namespace muster::repository
