#pragma once

#include "ports/clock.h"
#include "roles/cluster/number_book.h"
#include "roles/compat/method_book.h"
#include "roles/config/record_book.h"

namespace muster::compat {

// user.*: the people of the cluster.
class user_methods {
public:
    user_methods(cluster::number_book& numbers, const config::record_book& kept, clock& time)
        : numbers_(numbers), kept_(kept), time_(time) {}

    result<void> declare(method_book& to);

private:
    async<answer> list(call asked);
    async<answer> get_details(call asked);
    async<answer> list_roles(call asked);
    async<answer> list_assignable_roles(call asked);

    cluster::number_book& numbers_;
    const config::record_book& kept_;
    clock& time_;
};

}  // namespace muster::compat
