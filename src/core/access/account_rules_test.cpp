#include "core/access/account_rules.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::access {
namespace {

std::string refusal(const result<void>& outcome) {
    REQUIRE_FALSE(outcome.has_value());
    CHECK(outcome.error().code() == errc::invalid);
    return outcome.error().detail();
}

TEST_CASE("a name that may stand in keys and addresses is taken") {
    CHECK(check_user_name("admin").has_value());
    CHECK(check_user_name("jo.doe-2@acme.org").has_value());
    CHECK(check_user_name(std::string(user_name_bytes_max, 'a')).has_value());
}

TEST_CASE("any other name is refused by the rule it breaks") {
    CHECK(refusal(check_user_name("")).contains("empty"));
    CHECK(refusal(check_user_name(std::string(user_name_bytes_max + 1, 'a'))).contains("128"));
    for (const auto* name : {"a/b", "a b", ".hidden", "-x", "j\xc3\xb6", "a\nb"})
        CHECK(refusal(check_user_name(name)).contains("letters"));
    CHECK(refusal(check_role_name("a/b")).contains("role"));
}

TEST_CASE("a password has twelve characters at least, however many bytes they are") {
    CHECK(check_new_password("correct horse", "jo").has_value());
    CHECK(refusal(check_new_password("elevenchars", "jo")).contains("12"));
    CHECK(refusal(check_new_password("\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", "jo"))
              .contains("12"));
    CHECK(refusal(check_new_password(std::string(1025, 'x'), "jo")).contains("1024"));
}

TEST_CASE("a password is not made of the user's name") {
    CHECK(refusal(check_new_password("administrator", "administrator")).contains("name"));
    CHECK(refusal(check_new_password("Administrator-12", "administrator")).contains("name"));
    CHECK(refusal(check_new_password("adminadminadmin", "admin")).contains("name"));
    CHECK(check_new_password("jo likes correct horses", "jo").has_value());
}

TEST_CASE("texts for people are one line and bounded") {
    CHECK(check_account_text("`email`", "jo@acme.org").has_value());
    CHECK(refusal(check_account_text("`email`", "a\nb")).contains("`email`"));
    CHECK(refusal(check_account_text("`email`", std::string(300, 'x'))).contains("256"));
}

}  // namespace
}  // namespace muster::access
