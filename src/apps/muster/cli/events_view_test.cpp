#include "apps/muster/cli/events_view.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>

namespace muster::cli {
namespace {

namespace json = boost::json;

TEST_CASE("an event is one line, with names rather than numbers and without long lists") {
    const json::object event{
        {"cursor", "3.4"},
        {"at", "2026-11-16T22:00:00Z"},
        {"kind", "return"},
        {"job", "20261116051234123456"},
        {"system", 7},
        {"name", "web7"},
        {"data", {{"state", "failed"}, {"exit_code", 3}, {"long", std::string(500, 'x')}}}};

    CHECK(
        event_line(event)
        == "2026-11-16T22:00:00Z  return              job=20261116051234123456  system=web7"
           "  state=failed  exit_code=3");
    CHECK(cursor_of(event, "cursor", "0.0") == "3.4");
    CHECK(cursor_of(json::value(nullptr), "cursor", "0.0") == "0.0");
}

TEST_CASE("what somebody wrote into an event cannot steer the terminal") {
    const json::object event{{"at", "now"}, {"kind", "job.done"}, {"by", "eve\x1b[2J\nnew line"}};
    const auto line = event_line(event);
    CHECK_FALSE(line.contains('\x1b'));
    CHECK_FALSE(line.contains('\n'));
}

}  // namespace
}  // namespace muster::cli
