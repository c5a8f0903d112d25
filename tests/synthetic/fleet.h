#pragma once

#include "core/model/system.h"

#include <cstdint>
#include <string>

namespace muster::synthetic {

// A fleet that nobody has, the same each time: systems with names, labels and facts of a likely
// spread, by their numbers from 1 on. For figures at sizes of which there are no machines.
system_record system_of(std::uint64_t number);
std::string facts_of(std::uint64_t number);  // a JSON object

}  // namespace muster::synthetic
