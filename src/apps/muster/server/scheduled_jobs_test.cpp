#include "apps/muster/server/scheduled_jobs.h"

#include <doctest/doctest.h>

namespace muster::server {
namespace {

result<std::string> given(std::string function, std::string arguments) {
    windows::stored_schedule schedule;
    schedule.function = std::move(function);
    schedule.arguments = std::move(arguments);
    return arguments_of(schedule);
}

TEST_CASE("a schedule's list is the command that is run, an object stays as it is") {
    CHECK(given("cmd.run", R"(["uptime"])").value() == R"({"cmd":["uptime"]})");
    CHECK(given("cmd.run", R"({"cmd":"uptime"})").value() == R"({"cmd":"uptime"})");
    CHECK(given("test.ping", "[]").value() == "{}");
    CHECK(given("test.ping", R"(["x"])").error().code() == errc::invalid);
    CHECK(given("cmd.run", "uptime").error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::server
