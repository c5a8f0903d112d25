#include "core/lifecycle/agent_state_machine.h"

#include <doctest/doctest.h>

namespace muster::lifecycle {
namespace {

using namespace std::chrono_literals;
using session::reason;

// A cluster that answers at random, or well, and watches what the agent does.
class fixture {
public:
    explicit fixture(std::uint64_t seed)
        : random_(seed), life_({.entries = 1 + random_.below(3)}, random_.fork()) {
        perform(life_.start(now_));
    }

    // One event: a response, the end of a connection, or time passes.
    void step(bool success) {
        if (life_.is_stopped()) {
            CHECK(stopped_ == 1);
            perform(any_input());
            return;
        }
        if (request_) {
            const auto request = *std::exchange(request_, std::nullopt);
            perform(success ? good_answer(request) : bad_answer(request));
        } else if (opening_) {
            opening_ = false;
            if (success || random_.chance(500)) {
                open_ = true;
                perform(life_.on_welcome(now_));
            } else {
                perform(life_.on_connection_end(ending(), now_));
            }
        } else if (open_ && !success) {
            disturb();
        } else if (const auto next = life_.next_deadline()) {
            REQUIRE(*next > now_);  // a pause is never nothing
            now_ = *next;
            at_this_instant_ = 0;
            perform(life_.expire(now_));
        }
    }

    bool attached() const { return life_.is_attached(); }
    bool ended() const { return life_.is_stopped(); }
    instant now() const { return now_; }

private:
    enum class request_kind { status, enrol, place };

    void perform(const agent_effects& effects) {
        if (stopped_ > 0) CHECK(effects.empty());
        for (const auto& effect : effects) {
            // Whatever the answers are, an agent that does not rest would come here for ever.
            REQUIRE(++at_this_instant_ < 60);
            std::visit([this](const auto& effect) { take(effect); }, effect);
        }
    }
    void take(const request_status&) { ask(request_kind::status); }
    void take(const enrol&) { ask(request_kind::enrol); }
    void take(const request_placement&) { ask(request_kind::place); }
    void take(const open_connection& open_channel) {
        CHECK_FALSE(open_);
        CHECK_FALSE(opening_);
        CHECK_FALSE(open_channel.address.empty());
        opening_ = true;
    }
    void take(const close_connection&) { open_ = false; }
    void take(const enter_state&) {}
    void take(const stop_permanently&) { ++stopped_; }

    void ask(request_kind request) {
        CHECK_FALSE(request_.has_value());
        request_ = request;
    }

    agent_effects good_answer(request_kind request) {
        if (request == request_kind::place) return life_.on_placement("node1:1", now_);
        return life_.on_state(system_state::orphan, now_);
    }

    agent_effects bad_answer(request_kind request) {
        if (random_.chance(300)) return life_.on_request_failed(pause(), now_);
        if (request != request_kind::place) return life_.on_state(any_state(), now_);
        switch (random_.below(5)) {
            case 0:
                return life_.on_not_accepted(now_);
            case 1:
                return life_.on_no_placement(pause(), now_);
            case 2:
                return random_.chance(50) ? life_.on_state(system_state::deleted, now_)
                                          : life_.on_no_placement(pause(), now_);
            default:
                return life_.on_placement(address(), now_);
        }
    }

    // Anything but Deleted mostly, so that runs are long.
    system_state any_state() {
        return static_cast<system_state>(random_.chance(10) ? 3 : random_.below(3));
    }

    void disturb() {
        if (random_.chance(300)) {
            now_ += std::chrono::milliseconds(random_.below(60'000) + 1);
            at_this_instant_ = 0;
            perform(life_.on_node_fenced(now_));
            return;
        }
        open_ = false;
        request_.reset();  // a look-up that was under way comes to nothing
        perform(life_.on_connection_end(ending(), now_));
    }

    agent_effects any_input() {
        switch (random_.below(5)) {
            case 0:
                return life_.on_state(any_state(), now_);
            case 1:
                return life_.on_placement(address(), now_);
            case 2:
                return life_.on_connection_end(ending(), now_);
            case 3:
                return life_.on_node_fenced(now_);
            default:
                return life_.expire(now_ + 24h);
        }
    }

    connection_end ending() {
        constexpr std::array reasons{
            reason::moved,
            reason::moved,
            reason::orphan,
            reason::fresh,
            reason::busy,
            reason::denied,
            reason::stopping,
            reason::replaced,
            reason::broken,
            reason::silent,
            reason::closed,
            reason::malformed};
        const auto why = reasons.at(random_.below(reasons.size()));
        return {
            .why = random_.chance(5) ? reason::deleted : why,
            .address = random_.chance(900) ? address() : "",
            .retry_after = pause()};
    }

    std::string address() { return "node" + std::to_string(random_.below(3)) + ":1"; }
    monotonic::duration pause() {
        return random_.chance(500) ? 0s : std::chrono::seconds(random_.below(100));
    }

    prng random_;
    agent_state_machine life_;
    instant now_{};
    std::optional<request_kind> request_;
    bool opening_ = false;
    bool open_ = false;
    int stopped_ = 0;
    int at_this_instant_ = 0;
};

TEST_CASE(
    "whatever the cluster answers there is one channel at most, a pause, and an end that lasts") {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        CAPTURE(seed);
        fixture fixture(seed);
        for (int step = 0; step < 300; ++step) fixture.step(false);
    }
}

TEST_CASE("an agent is always attached once the cluster answers well") {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        CAPTURE(seed);
        fixture fixture(seed);
        for (int step = 0; step < 100; ++step) fixture.step(false);
        const auto healed = fixture.now();
        for (int step = 0; step < 20 && !fixture.attached(); ++step) fixture.step(true);

        CHECK((fixture.attached() || fixture.ended()));
        CHECK(fixture.now() - healed < 20min);
    }
}

}  // namespace
}  // namespace muster::lifecycle
