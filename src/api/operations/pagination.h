#pragma once

#include "api/operations/call.h"

#include <cstddef>

namespace muster::api {

// Parameters of paginated lists: page size and start.
api::parameter limit_parameter();
api::parameter after_parameter();

std::size_t page_limit_of(const call& call);
// `next` of the previous page; empty: first page.
std::string page_start_of(const call& call);

}  // namespace muster::api
