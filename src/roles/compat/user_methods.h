#pragma once

#include "roles/compat/method_book.h"

namespace muster::compat {

// user.*: the people of the cluster.
class user_methods {
public:
    result<void> declare(method_book& to);

private:
    async<answer> list(call asked);
    async<answer> get_details(call asked);
    async<answer> list_roles(call asked);
    async<answer> list_assignable_roles(call asked);
};

}  // namespace muster::compat
