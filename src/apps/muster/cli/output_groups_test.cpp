#include "apps/muster/cli/output_groups.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

boost::json::object task(const std::string& name, const std::string& output) {
    return {{"name", name}, {"state", "completed"}, {"output", {{"stdout", output}}}};
}

TEST_CASE("equal outputs are shown once with the names of their systems, the most frequent first") {
    output_groups groups;
    for (const auto* const name : {"db1", "web1", "web2"})
        CHECK_FALSE(groups.add(task(name, name == std::string("db1") ? "12" : "11\nbookworm")));
    CHECK(groups.text() == "web1, web2:\n    11\n    bookworm\ndb1: 12\n");
}

TEST_CASE("systems that failed alike are one group, and no other") {
    output_groups groups;
    groups.add(task("web1", ""));
    for (const auto* const name : {"web2", "web3"})
        groups.add({{"name", name}, {"state", "failed"}, {"exit_code", 2}});
    CHECK(groups.text() == "web2, web3: failed, exit code 2\nweb1:\n");
}

TEST_CASE("of many systems some names are shown, and how many there are") {
    output_groups groups;
    for (int number = 1; number <= 1500; ++number)
        groups.add(task("web" + std::to_string(number), "ok"));
    CHECK(
        groups.text()
        == "web1, web2, web3, web4, web5, web6, web7, web8, web9, web10 and 1490 more: ok\n");
}

TEST_CASE("outputs that all differ are shown one by one once there are too many of them") {
    output_groups groups;
    for (std::size_t number = 0; number < output_groups::groups_max; ++number)
        CHECK_FALSE(groups.add(task("web", std::to_string(number))));
    CHECK(groups.add(task("last", "another")) == "last: another\n");
}

}  // namespace
}  // namespace muster::cli
