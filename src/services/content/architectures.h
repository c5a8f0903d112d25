#pragma once

#include "core/packages/list/package.h"

#include <span>
#include <string>
#include <string_view>

namespace muster::content {

// The architectures of channels, as clients name them.
struct channel_arch {
    std::string_view label;  // "channel-amd64-deb"
    std::string_view name;   // "AMD64 Debian"
    std::string_view packages;
    packages::family kind = packages::family::rpm;
};

std::span<const channel_arch> channel_arches();
const channel_arch* find_arch(std::string_view label);  // null: there is none

// "amd64" of "channel-amd64-deb".
std::string package_arch_of(std::string_view label);

// A package's architecture as clients write it: Debian's have "-deb" behind them.
std::string arch_label(packages::family kind, std::string_view arch);

}  // namespace muster::content
