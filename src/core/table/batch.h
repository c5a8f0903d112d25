#pragma once

#include "base/number.h"
#include "core/table/schema.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace muster::table {

// The place of a change in the commit order of one sequenced table; zero is before the first.
using sequence = number<struct sequence_tag>;

// What to do with a row whose key is there already. In each case a row that would not differ is
// left as it is, so that the same batch twice changes nothing.
struct keep_existing {
    friend bool operator==(const keep_existing&, const keep_existing&) = default;
};
struct replace {
    friend bool operator==(const replace&, const replace&) = default;
};
struct replace_if_grows {  // states only move forward: only when this column's value is larger
    std::string column;
    friend bool operator==(const replace_if_grows&, const replace_if_grows&) = default;
};
using on_existing = std::variant<keep_existing, replace, replace_if_grows>;

struct write {
    std::string table;
    std::vector<row> rows;  // all declared columns, in order, without `sequence`
    on_existing existing = keep_existing{};
};

// Erased rows are not in the change sequence: where followers must learn of it, write a state.
struct erasure {
    std::string table;
    std::vector<row> keys;  // the key columns, in the order of definition::key
};

// Done as a whole or not at all. No key may be touched twice.
struct batch {
    std::vector<write> writes;
    std::vector<erasure> erasures;
};

struct summary {
    std::size_t changed = 0;  // rows inserted or replaced
    std::size_t kept = 0;     // rows that were there and stayed as they were
    std::size_t erased = 0;
    sequence last;  // the highest sequence given to a row of this batch, zero when none was

    friend bool operator==(const summary&, const summary&) = default;
};

struct batch_limits {
    static constexpr std::size_t rows_max = 10'000;  // written and erased
    static constexpr std::size_t bytes_max = 16 * std::size_t{1024} * 1024;
};

std::size_t row_count(const batch& change);
std::size_t size_bytes(const batch& change);

// Whether a row may be written to the table, and a batch to the tables of the catalog.
// errc::invalid with the table's and column's name.
result<void> check(const definition& table, const row& cells);
result<void> check(const batch& change, const catalog& tables);

// The same check; gives the keys the batch touches, each as one string with its table, in order.
// Two batches touch a common row exactly when they have such a string in common.
result<std::vector<std::string>> touched_keys(const batch& change, const catalog& tables);

}  // namespace muster::table
