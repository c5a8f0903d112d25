#pragma once

#include "api/operations/call.h"

#include <cstddef>

namespace muster::api {

// What every list in pages takes: how many items a page may have, and where it begins.
api::parameter limit_parameter();
api::parameter after_parameter();

std::size_t page_limit_of(const call& call);
// The `next` of the page before; empty: from the beginning.
std::string page_start_of(const call& call);

}  // namespace muster::api
