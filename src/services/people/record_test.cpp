#include "services/people/record.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

using namespace std::chrono_literals;
using access::right;

const wall_time noon =
    std::chrono::sys_days(std::chrono::year(2027) / 3 / 1) + std::chrono::hours(12);

TEST_CASE("every record reads back as it was written") {
    const user_record user{
        .name = "jo",
        .full_name = "Jo \"the\" Doe",
        .email = "jo@acme.org",
        .password_hash = "$argon2id$\"x\"",
        .grants = {{.role = "operator", .zone = "berlin"}, {.role = "viewer", .zone = ""}},
        .disabled = true,
        .must_change = true,
        .pam = true,
        .kind = user_kind::service,
        .current = {.sessions = "a", .tokens = "b"},
        .made = noon};
    const role_record role{
        .name = "patcher", .rights = {right::jobs_run, right::jobs_read}, .about = "at night"};
    token_record token{
        .user = "jo",
        .purpose = "backup",
        .grants = {{.role = "viewer", .zone = "berlin"}},
        .rights = access::rights{right::jobs_read},
        .era = "b",
        .made = noon,
        .expires = noon + 24h,
        .last_used = std::chrono::floor<std::chrono::days>(noon)};
    const session_record session{
        .user = "jo",
        .began = noon,
        .seen = noon + 1h,
        .expires = noon + 12h,
        .origin = "192.0.2.7",
        .era = "a"};
    const access::failed_logins failed{.count = 11, .last = noon};

    CHECK(decode_user(encode(user)).value() == user);
    CHECK(decode_role(encode(role)).value() == role);
    CHECK(decode_token(encode(token)).value() == token);
    token.rights.reset();
    token.last_used.reset();
    CHECK(decode_token(encode(token)).value() == token);
    CHECK(decode_session(encode(session)).value() == session);
    CHECK(decode_failures(encode(failed)).value() == failed);
}

TEST_CASE("a user of a time before grants is an admin of the whole cluster") {
    const auto user = decode_user(R"({"name":"admin","password_hash":"h"})").value();

    CHECK(user.grants == std::vector{access::grant{.role = "admin", .zone = ""}});
    CHECK_FALSE(user.disabled);
    CHECK(is_cluster_admin(user));
}

TEST_CASE("a user whose grants were all taken away is no admin by that") {
    const user_record user{.name = "jo", .password_hash = "h", .grants = {}};

    CHECK(decode_user(encode(user)).value().grants.empty());
}

TEST_CASE("a session of a time before idle limits lives until it expires") {
    const auto session = decode_session(R"({"user":"admin","expires":1000})").value();

    CHECK(session.seen == session.expires);
}

TEST_CASE("what is not a record is corrupt, and the wrong member is named") {
    CHECK(decode_user("").error().code() == errc::corrupt);
    CHECK(decode_user("[1]").error().code() == errc::corrupt);
    CHECK(decode_user(R"({"name":"admin"})").error().detail().contains("password_hash"));
    CHECK(decode_session(R"({"user":"a","expires":"soon"})").error().detail().contains("expires"));
    CHECK(decode_user(R"({"name":"a","password_hash":"h","newer":1})").has_value());
    CHECK(decode_user(R"({"name":"a","password_hash":"h","kind":"robot"})")
              .error()
              .detail()
              .contains("kind"));
    CHECK(decode_failures(R"({"count":-1,"last":0})").error().detail().contains("count"));
}

TEST_CASE("a right that only a newer server knows is not given") {
    const auto role = decode_role(R"({"name":"r","rights":["jobs.run","moon.fly"]})").value();

    CHECK(role.rights == access::rights{right::jobs_run});
}

TEST_CASE("only an enabled person who can log in is counted on as an admin of the cluster") {
    const user_record chief{
        .name = "jo", .password_hash = "h", .grants = {{.role = "admin", .zone = ""}}};
    CHECK(is_cluster_admin(chief));

    auto other = chief;
    other.disabled = true;
    CHECK_FALSE(is_cluster_admin(other));
    other = chief;
    other.kind = user_kind::service;
    CHECK_FALSE(is_cluster_admin(other));
    other = chief;
    other.grants = {{.role = "admin", .zone = "berlin"}};
    CHECK_FALSE(is_cluster_admin(other));
    other = chief;
    other.password_hash.clear();
    CHECK_FALSE(is_cluster_admin(other));
}

}  // namespace
}  // namespace muster::people
