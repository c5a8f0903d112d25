#include "roles/node/dispatch/agent_outbox.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

constexpr channel_id first{.loop = 0, .number = 1};
constexpr channel_id second{.loop = 1, .number = 2};

struct fixture final : channel_sender {
    std::vector<std::vector<channel_id>> sent;  // by flush
    agent_outbox outbox{*this};

    void send(std::vector<outgoing> frames) override {
        sent.emplace_back();
        for (const auto& frame : frames) sent.back().push_back(frame.to);
    }

    void add(std::int64_t system) { outbox.add(system_number(system), {}); }
};

using batches = std::vector<std::vector<channel_id>>;

TEST_CASE("frames are sent together and in order, each over its system's channel") {
    fixture with;
    with.outbox.attach(system_number(1), first);
    with.outbox.attach(system_number(2), second);
    with.add(2);
    with.add(1);
    CHECK(with.sent.empty());

    with.outbox.flush();
    with.outbox.flush();

    CHECK(with.sent == batches{{second, first}});
}

TEST_CASE("a frame to a system that is not attached is dropped") {
    fixture with;
    with.add(1);
    with.outbox.flush();

    CHECK(with.sent.empty());
}

TEST_CASE("a channel that another one replaced takes nothing with it when it goes") {
    fixture with;
    with.outbox.attach(system_number(1), first);
    with.outbox.attach(system_number(1), second);

    CHECK_FALSE(with.outbox.detach(system_number(1), first));
    with.add(1);
    with.outbox.flush();
    CHECK(with.sent == batches{{second}});
    CHECK(with.outbox.detach(system_number(1), second));
    CHECK_FALSE(with.outbox.detach(system_number(1), second));
}

TEST_CASE("a wiped outbox says which systems were attached, in order") {
    fixture with;
    for (const std::int64_t each : {3, 1, 2}) with.outbox.attach(system_number(each), first);

    CHECK(
        with.outbox.detach_all()
        == std::vector{system_number(1), system_number(2), system_number(3)});
    CHECK(with.outbox.detach_all().empty());
}

}  // namespace
}  // namespace muster::dispatch
