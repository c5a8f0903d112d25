#pragma once

#include <cstddef>

namespace muster::ledger_sql {

struct group_limits {
    std::size_t rows_max;
    std::size_t bytes_max;
};

struct weight {
    std::size_t rows = 0;
    std::size_t bytes = 0;
};

// How much goes into one commit. The first request always does, however large it is.
class group_size {
public:
    explicit group_size(group_limits limits) : limits_(limits) {}

    [[nodiscard]] bool has_room_for(weight next) const {
        return empty_
               || (taken_.rows + next.rows <= limits_.rows_max
                   && taken_.bytes + next.bytes <= limits_.bytes_max);
    }

    void add(weight next) {
        empty_ = false;
        taken_.rows += next.rows;
        taken_.bytes += next.bytes;
    }

private:
    group_limits limits_;
    weight taken_;
    bool empty_ = true;
};

}  // namespace muster::ledger_sql
