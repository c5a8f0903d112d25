#include "apps/muster/cli/job_follow_task.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

namespace json = boost::json;
using reader = task_follower::reader;

task_follower::task_output take(task_follower& by, const char* event) {
    return by.add_event(json::parse(event).as_object());
}

TEST_CASE("bytes are shown as they are, whatever they are") {
    task_follower task(reader::program);
    CHECK(take(task, R"({"kind":"output","text":"grüße\n","at":"1-8"})").output == "grüße\n");
    const auto bytes = take(task, R"({"kind":"output","base64":"AAH/","at":"1-11"})").output;
    CHECK(bytes == std::string("\0\x01\xff", 3));
    CHECK(task.position() == "1-11");
    CHECK_FALSE(task.is_finished());
}

TEST_CASE("a terminal gets no control characters of a machine it watches") {
    task_follower task(reader::terminal);
    const auto output = take(task, R"({"kind":"output","text":"a\u001b[31mb\n"})").output;
    CHECK_FALSE(output.contains('\x1b'));
    CHECK(output.ends_with('\n'));
}

TEST_CASE("gaps and states are told apart from output, on lines of their own") {
    task_follower task(reader::program);
    CHECK(take(task, R"({"kind":"state","state":"queued"})").remark == "[queued]\n");
    CHECK(
        take(task, R"({"kind":"state","state":"queued","remark":"its node is away"})").remark
        == "[queued: its node is away]\n");
    take(task, R"({"kind":"output","text":"half a li"})");
    const auto gap = take(task, R"({"kind":"gap","size":17})");
    CHECK(gap.output.empty());
    CHECK(gap.remark == "\n[17 bytes not shown]\n");
}

TEST_CASE("how the task ended is the exit code") {
    task_follower well(reader::program);
    take(well, R"({"kind":"end","state":"completed","reason":"","skipped":0})");
    CHECK(well.is_finished());
    CHECK(well.outcome() == exit_code::ok);

    task_follower failed(reader::program);
    const auto last =
        take(failed, R"({"kind":"end","state":"failed","reason":"exit code 3","skipped":9})");
    CHECK(failed.outcome() == exit_code::failed);
    CHECK(last.remark.starts_with("failed: exit code 3 (9 bytes not shown"));

    task_follower cancelled(reader::program);
    take(cancelled, R"({"kind":"end","state":"cancelled"})");
    CHECK(cancelled.outcome() == exit_code::timed_out);
}

}  // namespace
}  // namespace muster::cli
