#pragma once

#include "core/packages/list/package_list.h"
#include "core/packages/number_set.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace muster::packages {

// A package that can be had, by the number that it was given.
struct available_package {
    std::uint32_t number = 0;
    family kind = family::rpm;
    package what;
};
using offer_ref = std::shared_ptr<const available_package>;

// What the channels of a system have together, found by name.
class available_packages {
public:
    available_packages() = default;
    explicit available_packages(std::vector<offer_ref> all);

    std::span<const offer_ref> all() const { return all_; }
    std::span<const offer_ref> named(std::string_view name) const;
    bool has(std::uint32_t number, std::string_view name) const;

    // The newest of this name whose architecture fits; null when there is none. An empty
    // architecture fits all.
    offer_ref newest(std::string_view name, std::string_view arch = {}) const;

    // The newest of every name and architecture, in order.
    std::vector<offer_ref> newest_of_all() const;

private:
    std::vector<offer_ref> all_;  // by name, architecture and number
};

// A package that is installed, and the newest that can be had of it.
struct upgrade {
    package from;
    offer_ref to;
};

// Of a package that is installed several times, as kernels are, the newest counts.
std::vector<upgrade> upgrades_of(
    const package_list& installed, const available_packages& available);

// Whether an available package is newer than what is installed of it. One that is not installed
// upgrades nothing.
bool upgrades(const package_list& installed, const available_package& available);

// The numbers of all that is newer than what is installed of it.
number_set newer_numbers(const package_list& installed, const available_packages& available);

// The installed packages of a name: a part of the list.
std::span<const package> installed_as(const package_list& installed, std::string_view name);

}  // namespace muster::packages
