#include "base/release_memory.h"

#include <doctest/doctest.h>

namespace muster {
namespace {

TEST_CASE("a buffer that was given back is empty and holds no memory of its own") {
    std::string buffer(1'000'000, 'x');

    release_memory(buffer);

    CHECK(buffer.empty());
    CHECK(buffer.capacity() == std::string().capacity());
}

}  // namespace
}  // namespace muster
