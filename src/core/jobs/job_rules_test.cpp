#include "core/jobs/job_rules.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using api::value;

const value none = value::record();

job_spec ping() {
    return {.function = "test.ping", .arguments = "{}", .query = "*", .actor = "admin"};
}

std::string problem(const std::function<void(job_spec&)>& with) {
    auto spec = ping();
    with(spec);
    const auto checked = check_spec(spec, none);
    return checked ? "" : checked.error().detail();
}

TEST_CASE("numbers and spans out of bounds are refused by name, and those at the bound are not") {
    CHECK(check_spec(ping(), none).has_value());
    CHECK(problem([](auto& spec) {
              spec.timeout = 0s;
          }).starts_with("`timeout` must be between 1 sec"));
    CHECK(problem([](auto& spec) { spec.timeout = job_limits::span_max; }).empty());
    CHECK(
        problem([](auto& spec) { spec.timeout = job_limits::span_max + 1ns; }).contains("1 year"));
    CHECK(problem([](auto& spec) { spec.expires_after = 999ms; }).contains("`expires_after`"));
    CHECK(problem([](auto& spec) { spec.note.assign(4'096, 'x'); }).empty());
    CHECK(problem([](auto& spec) { spec.note.assign(4'097, 'x'); }).contains("`note`"));
    CHECK(problem([](auto& spec) { spec.parents.resize(100); }).empty());
    CHECK(problem([](auto& spec) { spec.parents.resize(101); }).contains("`parents`"));
    CHECK(problem([](auto& spec) { spec.rollout.rate = 0; }).contains("`rate`"));
    CHECK(problem([](auto& spec) { spec.rollout.rate = 1'000'001; }).contains("`rate`"));
    CHECK(problem([](auto& spec) { spec.rollout.rate = 1'000'000; }).empty());
    CHECK(problem([](auto& spec) { spec.rollout.retries = 101; }).contains("`retries`"));
    CHECK(problem([](auto& spec) { spec.rollout.priority = -1'000; }).empty());
    CHECK(problem([](auto& spec) { spec.rollout.priority = -1'001; }).contains("`priority`"));
    CHECK(problem([](auto& spec) { spec.rollout.priority = 1'001; }).contains("`priority`"));
    CHECK(problem([](auto& spec) { spec.rollout.weight = 0; }).contains("`weight`"));
    CHECK(problem([](auto& spec) { spec.rollout.weight = 1'001; }).contains("`weight`"));
    CHECK(problem([](auto& spec) { spec.rollout.batch_wait = -1s; }).contains("`batch_wait`"));
    CHECK(problem([](auto& spec) { spec.rollout.retry_wait = -1s; }).contains("`retry_wait`"));
}

TEST_CASE("a pause after canaries needs canaries, and ends before the job does") {
    CHECK(problem([](auto& spec) { spec.rollout.canary_wait = 1s; }).contains("requires `canary`"));
    const auto waits = [](monotonic::duration span) {
        return problem([span](auto& spec) {
            spec.rollout.canary = parse_amount("1").value();
            spec.rollout.canary_wait = span;
            spec.expires_after = 1h;
        });
    };
    CHECK(waits(59min).empty());
    CHECK(waits(60min) == "`canary_wait` must be shorter than `expires_after`");
}

TEST_CASE("the function and its arguments are checked first, and tell whether systems change") {
    CHECK_FALSE(check_spec(ping(), none).value().changes_system());
    auto spec = ping();
    spec.function = "system.reboot";
    CHECK(check_spec(spec, none).value().changes_system());
    spec.function = "test.pong";
    spec.timeout = 0s;
    CHECK(check_spec(spec, none).error().detail().contains("test.pong"));
    spec.function = "test.ping";
    CHECK(check_spec(spec, value::list()).error().detail() == "arguments must be a JSON object");
    spec.arguments.assign(std::size_t{2} * 1024 * 1024, ' ');
    CHECK(check_spec(spec, none).error().detail().contains("bytes exceeded"));
}

TEST_CASE("a job for nobody, or for more than may be, is refused") {
    const target_limits limits{.targets_max = 10};
    CHECK(check_targets(10, "*", limits).has_value());
    CHECK(
        check_targets(0, "web*", limits).error().detail().starts_with("query \"web*\" matches no"));
    CHECK(check_targets(0, "*", {.targets_max = 10, .may_be_empty = true}).has_value());
    CHECK(
        check_targets(11, "*", limits).error().detail()
        == "limit of 10 systems per job exceeded: query matches 11");
}

TEST_CASE("one job more than may be open is refused as overload") {
    CHECK(check_open_jobs(2, 3).has_value());
    CHECK(check_open_jobs(3, 3).error().code() == errc::unavailable);
}

TEST_CASE("a request is the same if work, query and person are, jobs together if their maker is") {
    const auto original = ping();
    for (const auto change : std::vector<void (*)(job_spec&)>{
             [](job_spec& spec) { spec.function = "x"; },
             [](job_spec& spec) { spec.arguments = "x"; },
             [](job_spec& spec) { spec.query = "x"; },
             [](job_spec& spec) {
                 spec.actor = "x";
             }}) {
        auto other = original;
        change(other);
        CHECK_FALSE(same_request(original, other));
    }
    auto noted = original;
    noted.note = "x";
    noted.timeout = 2h;
    CHECK(same_request(original, noted));
    CHECK_FALSE(same_origin(original, noted));
    auto working = original;
    working.function = "x";
    working.arguments = "x";
    CHECK(same_origin(original, working));
}

}  // namespace
}  // namespace muster::jobs
