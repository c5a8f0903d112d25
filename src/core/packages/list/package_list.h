#pragma once

#include "core/packages/list/package.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::packages {

// What is installed on a system. As a text it has one spelling, so that systems with the same
// packages have the same digest: a line with the family, then a line for each package, in order,
// with name, epoch, version, release and architecture between tabs.
struct package_list {
    family kind = family::rpm;
    std::vector<package> all;  // in order, none twice

    friend bool operator==(const package_list&, const package_list&) = default;
};

struct list_limits {
    static constexpr std::size_t packages_max = 50'000;
    static constexpr std::size_t bytes_max = 4 * std::size_t{1024} * 1024;
};

// Puts packages in order; what is there twice is there once.
package_list make_list(family kind, std::vector<package> all);

std::string to_text(const package_list& package_list);
// Strict: errc::invalid, with the line, for anything that to_text() does not make.
result<package_list> parse_list(std::string_view text);

// What the machine's own programs tell of what is installed, a package in each line:
// `dpkg-query -W -f '${db:Status-Abbrev}\t${Package}\t${Version}\t${Architecture}\n'`, of which
// those that are not wholly installed are passed over, or
// `rpm -qa --qf '%{NAME}\t%{EPOCH}\t%{VERSION}\t%{RELEASE}\t%{ARCH}\n'`.
result<package_list> parse_told(family kind, std::string_view text);

}  // namespace muster::packages
