#include "api/rest/revert_change.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::api {
namespace {

namespace json = boost::json;
using changes = std::vector<revert_change>;

const json::value shop{{"expression", "tag:web"}, {"description", "the shop"}};
const json::value larger_shop{{"expression", "tag:web or tag:db"}, {"description", "the shop"}};

TEST_CASE("an item that the revision created is deleted") {
    CHECK(
        revert_changes({.section = "groups", .name = "shop", .before = nullptr, .after = shop})
            .value()
        == changes{{.operation = "groups.remove", .arguments = {{"name", "shop"}}}});
    CHECK(
        revert_changes({.section = "roles", .name = "night", .before = nullptr, .after = shop})
            .value()
            .front()
            .arguments
        == json::object{{"role", "night"}});
}

TEST_CASE("an item that the revision changed or deleted is written as it was") {
    const json::object before{
        {"name", "shop"}, {"expression", "tag:web"}, {"description", "the shop"}};
    CHECK(
        revert_changes({.section = "groups", .name = "shop", .before = shop, .after = larger_shop})
            .value()
        == changes{{.operation = "groups.replace", .arguments = before}});
    CHECK(
        revert_changes({.section = "groups", .name = "shop", .before = shop, .after = nullptr})
            .value()
        == changes{{.operation = "groups.create", .arguments = before}});
    CHECK(
        revert_changes({.section = "policy",
                        .name = "windows",
                        .before = {{"emergency_override", true}},
                        .after = {{"emergency_override", false}}})
            .value()
        == changes{
            {.operation = "windows.set-policy", .arguments = {{"emergency_override", true}}}});
}

TEST_CASE("an accept rule, which cannot be updated, is deleted and created again") {
    const json::value rule{
        {"priority", 1}, {"activation_key", false}, {"names", {"web*"}}, {"record", "digest"}};
    const auto reverted =
        revert_changes({.section = "accept-rules", .name = "r", .before = rule, .after = rule})
            .value();
    REQUIRE(reverted.size() == 2);
    CHECK(reverted[0].operation == "accept-rules.remove");
    CHECK(reverted[1].operation == "accept-rules.create");
    CHECK_FALSE(reverted[1].arguments.contains("record"));
}

TEST_CASE("an item of which the revision does not hold everything is not restored") {
    const auto reason = [](changed_item item) {
        return revert_changes(item).error().detail();
    };
    const json::value secret_rule{{"priority", 1}, {"activation_key", true}};
    CHECK(reason({.section = "accept-rules", .name = "r", .before = secret_rule, .after = nullptr})
              .contains("activation key"));
    const json::value calendar{{"from", "upload"}, {"digest", "d"}};
    CHECK(reason({.section = "calendars", .name = "c", .before = calendar, .after = nullptr})
              .contains("calendar"));
    CHECK(reason({.section = "channels", .name = "c", .before = calendar, .after = nullptr})
              .contains("channels"));
}

}  // namespace
}  // namespace muster::api
