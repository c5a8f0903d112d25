#include "base/prng.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

TEST_CASE("the same seed draws the same numbers on every machine") {
    prng random(1234567);

    CHECK(random.next() == 6457827717110365317U);
    CHECK(random.fork().next() != random.next());
}

}  // namespace
}  // namespace muster
