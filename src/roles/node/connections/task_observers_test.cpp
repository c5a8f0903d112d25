#include "tests/fixtures/node/node_fixture.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <doctest/doctest.h>

namespace muster::node::test {
namespace {

constexpr job_id patch_night{4711};

void name(muster::agent_protocol::TaskName& wire) {
    wire.set_job(patch_night.value());
    wire.set_attempt(1);
}

Frame said(std::uint64_t offset, std::string content) {
    Frame frame;
    auto& output = *frame.mutable_output();
    name(*output.mutable_task());
    output.set_offset(offset);
    output.set_content(std::move(content));
    return frame;
}

async<void> show_output(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));
    CO_TRY(
        auto watcher,
        fixture->host->observers().output().watch(
            {.system = system_number(7), .job = patch_night}, {}));
    CO_TRY(const auto desired, co_await web.receive());
    CHECK(desired.output_wanted().task().job() == patch_night.value());
    CHECK_FALSE(desired.output_wanted().stop());

    CO_CHECK_OK(co_await web.send(said(0, "patching\n")));
    CO_TRY(const auto piece, co_await within(fixture->clock, timeout, watcher->next()));
    CHECK(piece == jobs::output_piece{1, 0, "patching\n", false});
    CHECK(fixture->tasks.take_all().empty());  // nothing of it is the dispatcher's

    watcher.reset();
    CO_TRY(const auto stop, co_await web.receive());
    CHECK(stop.output_wanted().stop());
    co_return result<void>();
}

async<void> answer_question(agent* agent) {
    CO_TRY(const auto request, co_await agent->receive());
    CHECK(request.has_running_wanted());
    Frame frame;
    auto& one = *frame.mutable_running()->add_tasks();
    name(*one.mutable_task());
    one.set_function("cmd.run");
    one.set_since_us(5);
    co_return co_await agent->send(std::move(frame));
}

async<void> list_tasks(node_fixture* fixture) {
    using boost::asio::experimental::awaitable_operators::operator&&;
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));
    const auto [listed, answered] = co_await (
        fixture->host->observers().task_query().list(system_number(7)) && answer_question(&web));
    CO_CHECK_OK(answered);
    REQUIRE(listed.has_value());
    REQUIRE(listed->size() == 1);
    CHECK(listed->front().job == patch_night);
    CHECK(listed->front().function == "cmd.run");
    CHECK_FALSE(listed->front().is_waiting);

    const auto nobody = co_await fixture->host->observers().task_query().list(system_number(8));
    CHECK(nobody.error().code() == errc::unavailable);
    co_return result<void>();
}

TEST_CASE("an agent is asked for a task's output while somebody watches, and it reaches them") {
    node_fixture fixture;
    play(fixture, [&fixture] { return show_output(&fixture); });
}

TEST_CASE("an agent says what it runs now, and one that is not here cannot be asked") {
    node_fixture fixture;
    play(fixture, [&fixture] { return list_tasks(&fixture); });
}

}  // namespace
}  // namespace muster::node::test
