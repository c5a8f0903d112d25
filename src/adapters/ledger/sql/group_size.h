#pragma once

#include <cstddef>

namespace muster::ledger_sql {

struct group_limits {
    std::size_t rows_max;
    std::size_t bytes_max;
};

struct group_weight {
    std::size_t rows = 0;
    std::size_t bytes = 0;
};

// Bounds the size of one commit. The first request always fits, however large it is.
class group_size {
public:
    explicit group_size(group_limits limits) : limits_(limits) {}

    [[nodiscard]] bool fits(group_weight item) const {
        return empty_
               || (total_.rows + item.rows <= limits_.rows_max
                   && total_.bytes + item.bytes <= limits_.bytes_max);
    }

    void add(group_weight item) {
        empty_ = false;
        total_.rows += item.rows;
        total_.bytes += item.bytes;
    }

private:
    group_limits limits_;
    group_weight total_;
    bool empty_ = true;
};

}  // namespace muster::ledger_sql
