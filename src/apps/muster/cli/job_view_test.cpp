#include "apps/muster/cli/job_view.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

TEST_CASE("a job is told with what somebody chose, and without what is usual") {
    const json::object job{
        {"id", "20261116051234123456"},
        {"function", "cmd.run"},
        {"arguments", json::object{{"cmd", json::array{"ls", "-l"}}}},
        {"query", "tag:db"},
        {"targets", 10},
        {"by", "admin"},
        {"made", "2026-11-16T05:12:34Z"},
        {"note", ""},
        {"stage", "open"},
        {"phase", "canaries"},
        {"reason", ""},
        {"counts", json::object{{"queued", 7}, {"picked_up", 3}, {"failed", 0}}},
        {"options", json::object{{"batch", "10%"}, {"timeout", "1h"}, {"rate", nullptr}}}};
    CHECK(
        job_text(job)
        == "job       20261116051234123456\n"
           "function  cmd.run ls -l\n"
           "query     tag:db, 10 systems\n"
           "by        admin, 2026-11-16T05:12:34Z\n"
           "options   batch 10%\n"
           "stage     open, may start: canaries\n"
           "tasks     7 queued, 3 running\n");
}

TEST_CASE("alike returns are one paragraph with a few lines of what they wrote") {
    const json::object group{
        {"count", 2},
        {"state", "failed"},
        {"reason", "exit code 1"},
        {"examples", json::array{json::object{{"system", 1}, {"name", "web1"}}}},
        {"output", json::object{{"stdout", "1\n2\n3\n4\n5\n6\n"}, {"stderr", "\x1b[2J"}}}};
    const auto text = results_text(json::object{{"items", json::array{group}}, {"beyond", 4}});
    CHECK(
        text
        == "2 failed: exit code 1 (web1)\n    1\n    2\n    3\n    4\n    5\n    …\n"
           "4 more tasks in groups that are not shown\n");
}

}  // namespace
}  // namespace muster::cli
