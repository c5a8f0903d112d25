#include "adapters/ledger/sql/byte_budget.h"
#include "adapters/ledger/sql/group_size.h"

#include <doctest/doctest.h>

namespace muster::ledger_sql {
namespace {

TEST_CASE(
    "a budget refuses what would exceed it, counts that, and has room again when given back") {
    byte_budget budget(100);

    CHECK(budget.try_reserve(60));
    CHECK(budget.try_reserve(40));
    CHECK_FALSE(budget.try_reserve(1));
    CHECK(budget.hits().refused == 1);
    budget.release(60);
    CHECK(budget.try_reserve(60));
}

TEST_CASE("what is larger than the whole budget is taken alone and lets nothing in beside it") {
    byte_budget budget(100);

    CHECK(budget.try_reserve(500));
    CHECK_FALSE(budget.try_reserve(1));
    budget.release(500);
    CHECK(budget.try_reserve(1));
    CHECK_FALSE(budget.try_reserve(500));
}

TEST_CASE("a group is full when either its rows or its bytes are") {
    group_size rows({.rows_max = 3, .bytes_max = 1'000});
    group_size bytes({.rows_max = 1'000, .bytes_max = 300});

    rows.add({.rows = 2, .bytes = 200});
    bytes.add({.rows = 2, .bytes = 200});

    CHECK(rows.fits({.rows = 1, .bytes = 500}));
    CHECK_FALSE(rows.fits({.rows = 2, .bytes = 2}));
    CHECK(bytes.fits({.rows = 500, .bytes = 100}));
    CHECK_FALSE(bytes.fits({.rows = 1, .bytes = 101}));
}

TEST_CASE("the first request has room in a group however large it is") {
    const group_size fresh({.rows_max = 1, .bytes_max = 1});

    CHECK(fresh.fits({.rows = 10, .bytes = 10}));
}

}  // namespace
}  // namespace muster::ledger_sql
