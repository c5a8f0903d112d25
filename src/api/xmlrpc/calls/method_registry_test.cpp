#include "api/xmlrpc/calls/method_registry.h"

#include "api/xmlrpc/calls/session_key.h"
#include "runtime/clock.h"

#include <doctest/doctest.h>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

struct book_of_two {
    runtime::system_clock clock;
    api::registry checks{clock, {}};
    method_registry methods{checks};

    result<void> add(std::string name, std::vector<parameter> takes, right needed = right::self) {
        return methods.add(
            {{.name = std::move(name), .summary = "Does it", .takes = takes, .needed = needed},
             [](call) -> async<method_response> {
                 co_return method_response{1};
             }});
    }
    // How many arguments the chosen one takes beside the session; the reason when none is.
    std::string chosen(const std::string& name, const value::list& arguments) const {
        const auto match = methods.choose(name, arguments);
        if (!match) return match.error().detail();
        std::string result;
        for (const auto& take : (*match)->operation.takes) result += type_name(take.of) + " ";
        return result;
    }
};

TEST_CASE("a way to call a method is chosen by the number of arguments, then by their types") {
    book_of_two all;
    REQUIRE(all.add("system.listThings", {}));
    REQUIRE(all.add("system.listThings", {argument("sid", integer(1))}));
    REQUIRE(all.add("system.listThings", {argument("sids", list_of(integer(1)))}));
    REQUIRE(all.add("system.listThings", {argument("name", text()), argument("at", api::time())}));
    CHECK(all.chosen("system.listThings", {"key"}).empty());
    CHECK(all.chosen("system.listThings", {"key", 5}) == "int ");
    CHECK(all.chosen("system.listThings", {"key", value::list{5, 6}}) == "array ");
    CHECK(all.chosen("system.listThings", {"key", value::list()}) == "array ");
    CHECK(all.chosen("system.listThings", {"key", "n", wall_time()}) == "string dateTime.iso8601 ");
    CHECK(all.chosen("system.listThings", {"key", "5"}).contains("of these types"));
    CHECK(all.chosen("system.listThings", {"key", value::list{"5"}}).contains("of these types"));
    CHECK(all.chosen("system.listThings", {5}).contains("of these types"));
    CHECK(all.chosen("system.listThings", {}).contains("does not accept 0 arguments"));
    CHECK(
        all.chosen("system.listThings", {"key", 1, 2, 3}).contains("does not accept 4 arguments"));
}

TEST_CASE("the last part of a method's name may be in snake case, and no other name will do") {
    book_of_two all;
    REQUIRE(all.add("system.listThings", {}));
    CHECK(all.chosen("system.list_things", {"key"}).empty());
    CHECK(all.chosen("system.listthings", {"key"})
              .contains("method \"system.listthings\" not found"));
    CHECK(all.chosen("sys_tem.listThings", {"key"})
              .contains("method \"sys_tem.listThings\" not found"));
    CHECK(all.chosen("", {}).contains("method \"\" not found"));
}

TEST_CASE("a method that is open to all takes no session") {
    book_of_two all;
    REQUIRE(all.add("api.getVersion", {}, right::none));
    CHECK(all.chosen("api.getVersion", {}).empty());
    CHECK(all.chosen("api.getVersion", {"key"}).contains("does not accept 1 arguments"));
}

TEST_CASE("two ways to call a method that nobody can tell apart are refused") {
    book_of_two all;
    REQUIRE(all.add("system.getName", {argument("sid", integer(1))}));
    CHECK(!all.add("system.getName", {argument("number", integer(1))}));
    CHECK(all.add("system.getName", {argument("name", text())}));
    CHECK(!all.add("getName", {}));
}

TEST_CASE("a session's key is a number, an x and the secret, and a token is a key as it is") {
    const std::string secret(64, 'a');
    const auto key = session_key(secret);
    CHECK(key.ends_with("x" + secret));
    CHECK(key_secret(key) == secret);
    CHECK(key_number(key) + "x" + secret == key);
    CHECK(std::stoll(key_number(key)) <= INT32_MAX);
    CHECK(key_secret("mst_12x") == "mst_12x");
    CHECK(key_number("mst_12x") == "0");
    CHECK(key_number("") == "0");
    CHECK(key_number("99999999999999x") == "0");
}

}  // namespace
}  // namespace muster::xmlrpc_api
