#include "base/result.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

result<int> half(int number) {
    if (number % 2 != 0) return fail(errc::invalid, "odd");
    return number / 2;
}

result<int> quarter(int number) {
    TRY(const int once, half(number));
    TRY(const int twice, half(once));
    return twice;
}

TEST_CASE("TRY goes straight down on success and leaves with the first failure") {
    CHECK(quarter(8).value() == 2);
    CHECK(quarter(6).error() == error(errc::invalid, "odd"));
}

TEST_CASE("an error tells its code, its detail and the step it happened in") {
    const error full(errc::unavailable, "disk full");

    CHECK(
        to_string(full.with_context("opening the ledger"))
        == "unavailable: opening the ledger: disk full");
}

}  // namespace
}  // namespace muster
