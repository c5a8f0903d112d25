#include "apps/muster/cli/window_wait_text.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

json::object job(int running) {
    return {
        {"stage", "open"},
        {"counts", {{"queued", 1500}, {"picked_up", running}}},
        {"waiting",
         {{{"schedule", "nights"}, {"systems", 1500}, {"opens", "2026-11-18T02:00:00Z"}},
          {{"schedule", "frozen"}, {"systems", 2}, {"opens", nullptr}}}}};
}

TEST_CASE("the systems that wait for windows are listed by schedule with the next opening") {
    const auto waiting = job(0).at("waiting");
    CHECK(
        window_wait_text(&waiting)
        == "1500 waiting for nights, opens 2026-11-18T02:00:00Z; 2 waiting for frozen, no window "
           "planned");
    CHECK(window_wait_text(nullptr).empty());
    const json::value none = json::array();
    CHECK(window_wait_text(&none).empty());
}

TEST_CASE("a job is shown as waiting only if nothing of it runs") {
    auto waits = job(0);
    describe_window_wait(waits);
    CHECK(waits.at("stage") == "waiting");
    auto runs = job(3);
    describe_window_wait(runs);
    CHECK(runs.at("stage") == "open");
    CHECK(runs.at("waiting").as_string().starts_with("1500 waiting for nights"));
    json::object other{{"stage", "open"}, {"waiting", json::array()}};
    describe_window_wait(other);
    CHECK(other.at("stage") == "open");
    CHECK(other.at("waiting").is_null());
}

}  // namespace
}  // namespace muster::cli
