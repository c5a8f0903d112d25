#include "api/operations/session_cookie.h"

#include <doctest/doctest.h>

namespace muster::api {
namespace {

TEST_CASE("a session's cookie is for this host alone, over TLS, and no script reads it") {
    CHECK(session_cookie("abc") == "__Host-muster=abc; Path=/; Secure; HttpOnly; SameSite=Strict");
    CHECK(expired_session_cookie().ends_with("Max-Age=0"));
}

TEST_CASE("a session is found among other cookies, and only by its whole name") {
    CHECK(find_session_secret("a=1; __Host-muster=abc; b=2") == "abc");
    CHECK(find_session_secret("__Host-muster=abc") == "abc");
    CHECK_FALSE(find_session_secret("a=__Host-muster; x__Host-muster=abc").has_value());
    CHECK_FALSE(find_session_secret("").has_value());
    CHECK(find_session_secret("__Host-muster=") == "");
}

}  // namespace
}  // namespace muster::api
