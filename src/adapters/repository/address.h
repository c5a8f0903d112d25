#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::repository {

// A repository's address: "https://…", "http://…", "file:///…" or an absolute path.
struct address {
    bool local = false;
    std::string base;  // without a slash at the end; of a local one, the path
};

inline constexpr std::size_t address_bytes_max = 2048;

// errc::invalid says what an address must look like.
result<address> parse_address(std::string_view text);

// Whether a path that a repository names stays below the repository: relative, without ".." and
// other ways out, of visible signs. errc::invalid.
result<void> check_path(std::string_view path);

// Where an answer's `location` leads to, which may leave out what stays as it is.
// errc::invalid when it leads nowhere.
result<std::string> led_to(std::string_view from, std::string_view location);

// The address of something below; the path was checked.
std::string below(const address& where, std::string_view path);

}  // namespace muster::repository
