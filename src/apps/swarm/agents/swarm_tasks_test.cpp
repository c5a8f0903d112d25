#include "apps/swarm/agents/swarm_tasks.h"

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/pki/fingerprint.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <zstd.h>

namespace muster::swarm {
namespace {

using agent_protocol::Frame;

constexpr swarm_tasks::moment start{.now = instant(), .wall = wall_time()};

Frame ping(std::int64_t job) {
    Frame frame;
    frame.mutable_task()->set_job(job);
    frame.mutable_task()->set_attempt(1);
    frame.mutable_task()->set_function("test.ping");
    return frame;
}

std::vector<Frame> frames_in(std::string_view wire) {
    agent_protocol::frame_reader reader;
    reader.feed(wire);
    std::vector<Frame> frames;
    while (const auto next = reader.next().value()) frames.push_back(*next);
    return frames;
}

TEST_CASE("a channel begins with what is held") {
    swarm_counters counted;
    swarm_tasks tasks(counted);
    std::string out;

    tasks.attached(out, start);

    const auto message = frames_in(out);
    REQUIRE(message.size() == 1);
    CHECK(message[0].tasks_held().all());
    CHECK(message[0].tasks_held().held().empty());
}

TEST_CASE("all tasks of one read are answered by one frame, and a copy is not run again") {
    swarm_counters counted;
    swarm_tasks tasks(counted);
    std::string out;
    tasks.attached(out, start);
    out.clear();

    for (const std::int64_t job : {1, 2, 3, 2}) CHECK(tasks.handle(ping(job), start));
    tasks.read_done(out, start);

    const auto message = frames_in(out);
    REQUIRE(message.size() == 1);
    CHECK(message[0].reports().reports_size() == 3);
    CHECK(message[0].reports().reports(0).inline_payload() == "true");
    CHECK(counted.tasks == 3);
}

TEST_CASE("a report that was not taken is said on the next channel") {
    swarm_counters counted;
    swarm_tasks tasks(counted);
    std::string out;
    tasks.attached(out, start);
    CHECK(tasks.handle(ping(1), start));
    CHECK(tasks.handle(ping(2), start));
    tasks.read_done(out, start);
    Frame frame;
    frame.mutable_reports_taken()->add_tasks()->set_job(1);
    frame.mutable_reports_taken()->mutable_tasks(0)->set_attempt(1);
    CHECK(tasks.handle(frame, start));

    tasks.channel_lost();
    out.clear();
    tasks.attached(out, start);

    const auto message = frames_in(out);
    REQUIRE(message.size() == 2);
    REQUIRE(message[1].reports().reports_size() == 1);
    CHECK(message[1].reports().reports(0).task().job() == 2);
}

Frame wanted(std::int64_t job, std::size_t offset, std::uint32_t size) {
    Frame frame;
    frame.mutable_payload_wanted()->mutable_task()->set_job(job);
    frame.mutable_payload_wanted()->mutable_task()->set_attempt(1);
    frame.mutable_payload_wanted()->set_offset(offset);
    frame.mutable_payload_wanted()->set_size_max(size);
    return frame;
}

// What an agent with large outputs returned for job 1, asked for in pieces.
struct large_output {
    std::string digest;
    std::string text;

    explicit large_output(std::uint64_t agent) {
        swarm_counters counted;
        swarm_payloads swarm_payloads(100'000);
        swarm_tasks tasks(counted, {.payloads = &swarm_payloads, .agent = agent});
        std::string out;
        auto order = ping(1);
        order.mutable_task()->set_function("cmd.run");
        CHECK(tasks.handle(order, start));
        tasks.read_done(out, start);
        const auto report = frames_in(out).at(0).reports().reports(0);
        digest = report.digest();
        std::string packed;
        for (bool last = false; !last;) {
            out.clear();
            CHECK(tasks.handle(wanted(1, packed.size(), 30'000), start));
            tasks.read_done(out, start);
            const auto part = frames_in(out).at(0).payload_part();
            packed += part.content();
            last = part.last();
        }
        text.resize(report.payload_size());
        const auto size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
        CHECK(size == text.size());
    }
};

TEST_CASE("large outputs come piece by piece, are what the report says, and no two are alike") {
    const large_output one(1);
    const large_output other(2);

    CHECK(one.text.size() >= 100'000);
    CHECK(pki::sha256(one.text) == one.digest);
    CHECK(one.text != other.text);
    CHECK(large_output(1).digest == one.digest);
}

}  // namespace
}  // namespace muster::swarm
