#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::repository {

// A repository's address: "https://…", "http://…", "file:///…" or an absolute path.
struct address {
    bool local = false;
    std::string base;  // without a trailing slash; the path of a local repository
};

inline constexpr std::size_t address_bytes_max = 2048;

// errc::invalid describes valid addresses.
result<address> parse_address(std::string_view text);

// errc::invalid unless the path stays below the repository: relative, printable, without "..".
result<void> check_path(std::string_view path);

// Resolves the `location` of a redirect, which may be relative, against `url`. errc::invalid if it
// has no valid target.
result<std::string> resolve_redirect(std::string_view url, std::string_view location);

// The address of a file below the repository; the path must have been checked.
std::string join_path(const address& address, std::string_view path);

}  // namespace muster::repository
