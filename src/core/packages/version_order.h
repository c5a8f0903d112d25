#pragma once

#include "core/packages/list/package.h"

#include <compare>

namespace muster::packages {

// Which of two editions is newer, by the family's own rules. Two that differ in writing may be as
// new as each other ("1.0" and "1.00"). Thread-safe.
std::weak_ordering compare(family kind, const edition& one, const edition& other);

inline bool is_newer(family kind, const edition& one, const edition& than) {
    return compare(kind, one, than) == std::weak_ordering::greater;
}

}  // namespace muster::packages
