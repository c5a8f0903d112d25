#include "apps/muster/cli/schedules_request.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

TEST_CASE("a schedule is sent with the limits of its runs, an empty one too, which takes it away") {
    schedule_flags flags;
    flags.cron = "30 2 * * *";
    flags.batch = "10%";
    flags.rate = 2.5;
    flags.canary = "";
    flags.max_failures = "3";
    flags.weight = 20;

    CHECK(
        boost::json::serialize(schedule_request(flags).value())
        == R"({"cron":"30 2 * * *","batch":"10%","rate":2.5E0,"canary":"",)"
           R"("max_failures":"3","weight":20})");
    CHECK(schedule_request({})->empty());
}

TEST_CASE("arguments may be an object, and nothing else") {
    schedule_flags flags;
    flags.function = "configuration.deploy";
    flags.arguments_object = R"({"channel":"motd"})";
    CHECK(
        boost::json::serialize(schedule_request(flags).value())
        == R"({"function":"configuration.deploy","arguments":{"channel":"motd"}})");
    for (const auto* const wrong : {"motd", "[]", "{"}) {
        flags.arguments_object = wrong;
        CHECK_FALSE(schedule_request(flags));
    }
}

}  // namespace
}  // namespace muster::cli
