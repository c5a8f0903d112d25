#pragma once

#include "base/result.h"

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::packages {

// Whose rules of names and versions apply.
enum class family { rpm, deb };

std::string_view to_string(family which);  // "rpm"
std::optional<family> parse_family(std::string_view word);

// Epoch, version and release. An epoch of zero is empty, and so is a release that there is not.
struct edition {
    std::string epoch = {};
    std::string version = {};
    std::string release = {};

    friend bool operator==(const edition&, const edition&) = default;
    friend std::strong_ordering operator<=>(const edition&, const edition&) = default;
};

// "[epoch:]version[-release]"; the release is what follows the last hyphen.
edition parse_edition(std::string_view text);
std::string to_string(const edition& edition);

// A package by name; its order is that of the letters, not of the versions.
struct package {
    std::string name = {};
    edition at = {};
    std::string arch = {};

    friend bool operator==(const package&, const package&) = default;
    friend std::strong_ordering operator<=>(const package&, const package&) = default;
};

struct package_limits {
    static constexpr std::size_t name_bytes_max = 255;
    static constexpr std::size_t version_bytes_max = 255;  // and of a release
    static constexpr std::size_t epoch_digits_max = 9;
    static constexpr std::size_t arch_bytes_max = 32;
};

// Whether these can be parts of a package: visible ASCII that no list, path or program takes for
// anything else. errc::invalid names the part.
result<void> check(const package& package);

// Whether a package of one architecture can take the place of the other: the same, or one that is
// for all.
bool fits_arch(std::string_view name, std::string_view other);

}  // namespace muster::packages
