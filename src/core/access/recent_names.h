#pragma once

#include "base/assert.h"

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>

namespace muster::access {

// Remembers the last names that were added, a bounded number of them.
class recent_names {
public:
    explicit recent_names(std::size_t remembered_max) : remembered_max_(remembered_max) {
        MUSTER_ASSERT(remembered_max > 0);
    }

    bool contains(std::string_view name) const { return names_.contains(name); }

    void add(const std::string& name) {
        if (!names_.insert(name).second) return;
        order_.push_back(name);
        if (order_.size() <= remembered_max_) return;
        names_.erase(order_.front());
        order_.pop_front();
    }

private:
    std::size_t remembered_max_;
    std::set<std::string, std::less<>> names_;
    std::deque<std::string> order_;
};

}  // namespace muster::access
