#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

job_progress::payload_source no_payloads() {
    return [](const std::string&) -> std::optional<std::string> {
        return std::nullopt;
    };
}

json::object returned(std::int64_t system, const char* state) {
    return {
        {"kind", "task"},
        {"system", system},
        {"name", "web" + std::to_string(system)},
        {"state", state},
        {"attempt", 1},
        {"exit_code", 0},
        {"reason", ""},
        {"at", "17"}};
}

json::object report(const char* kind, std::int64_t completed, std::int64_t failed) {
    return {
        {"kind", kind},
        {"stage", "open"},
        {"phase", "everybody"},
        {"targets", 10},
        {"ended", completed + failed},
        {"counts",
         json::object{
             {"queued", 10 - completed - failed}, {"completed", completed}, {"failed", failed}}},
        {"rate", 2.5},
        {"eta_seconds", 240},
        {"reason", ""},
        {"at", "18"}};
}

TEST_CASE("a return is shown once, however often it is told, and the way back is remembered") {
    job_progress job(no_payloads());
    auto event = returned(1, "completed");
    event["output"] = json::object{{"stdout", "up 3 days\n"}, {"stderr", ""}};
    CHECK(job.add_event(event).value().text == "web1: up 3 days\n");
    CHECK_FALSE(job.add_event(event).has_value());
    CHECK(job.position() == "17");
}

TEST_CASE("a failure says why, and its output stands below it") {
    job_progress job(no_payloads());
    auto event = returned(2, "failed");
    event["exit_code"] = 3;
    event["reason"] = "exit code 3";
    event["output"] = json::object{{"stdout", "one\ntwo\n"}, {"stderr", "no\n"}};
    CHECK(
        job.add_event(event).value().text
        == "web2: failed: exit code 3\n    one\n    two\n    no\n");
}

TEST_CASE("the same output is fetched once") {
    int fetched = 0;
    job_progress job([&](const std::string& digest) -> std::optional<std::string> {
        ++fetched;
        CHECK(digest == "abcd");
        return R"({"stdout":"same","stderr":""})";
    });
    for (std::int64_t system = 1; system <= 3; ++system) {
        auto event = returned(system, "completed");
        event["digest"] = "abcd";
        CHECK(job.add_event(event).value().text.ends_with(": same\n"));
    }
    CHECK(fetched == 1);
}

TEST_CASE("a return whose output is on its way is shown when that is here, or without it") {
    std::optional<std::string> there;
    job_progress job([&](const std::string&) { return there; });
    auto event = returned(1, "completed");
    event["digest"] = "abcd";
    CHECK_FALSE(job.add_event(event).has_value());
    CHECK(job.has_pending_output());
    CHECK(job.take_completed(job_progress::late_policy::wait).empty());
    there = R"({"stdout":"at last","stderr":""})";
    const auto late = job.take_completed(job_progress::late_policy::wait);
    REQUIRE(late.size() == 1);
    CHECK(late.front().text == "web1: at last\n");
    CHECK(late.front().event.at("output").at("stdout").as_string() == "at last");
    CHECK_FALSE(job.has_pending_output());

    there.reset();
    event["system"] = 2;
    event["digest"] = "ef01";
    CHECK_FALSE(job.add_event(event).has_value());
    const auto without = job.take_completed(job_progress::late_policy::give_up);
    REQUIRE(without.size() == 1);
    CHECK(without.front().text.contains("not available yet"));
}

TEST_CASE("nothing a system returns moves the cursor") {
    job_progress job(no_payloads());
    auto event = returned(1, "completed");
    event["output"] = json::object{{"stdout", "\x1b[2Jgone"}, {"stderr", ""}};
    CHECK(job.add_event(event).value().text == "web1: ?[2Jgone\n");
}

TEST_CASE("progress has counts, rate and time left; the last line and the exit code sum it up") {
    job_progress job(no_payloads());
    CHECK_FALSE(job.add_event(report("progress", 4, 1)).has_value());
    CHECK(job.line() == "5/10, 1 failed, 2.5/s, 4 min left");
    CHECK_FALSE(job.is_finished());
    CHECK(job.outcome() == exit_code::failed);
    CHECK_FALSE(job.add_event(report("end", 10, 0)).has_value());
    CHECK(job.is_finished());
    CHECK(job.outcome() == exit_code::ok);
    CHECK(job.last_line(1500ms) == "10/10 in 1.5 s");
    CHECK_FALSE(job.add_event(report("end", 9, 1)).has_value());
    CHECK(job.outcome() == exit_code::failed);
    CHECK(job.last_line(1500ms) == "9/10 in 1.5 s, 1 failed");
    CHECK_FALSE(job.add_event(report("end", 9, 0)).has_value());
    CHECK(job.outcome() == exit_code::timed_out);
}

}  // namespace
}  // namespace muster::cli
