#include "base/hex.h"

#include <doctest/doctest.h>

#include <rapidcheck.h>
#include <string>

namespace muster {
namespace {

TEST_CASE("every byte string survives the way through hexadecimal") {
    CHECK(rc::check(
        [](const std::string& bytes) { RC_ASSERT(from_hex(to_hex(bytes)).value() == bytes); }));
    CHECK(from_hex("abc").error().code() == errc::invalid);
    CHECK(from_hex("zz").error().code() == errc::invalid);
    CHECK(from_hex("DEad").value() == "\xde\xad");
}

}  // namespace
}  // namespace muster
