#include "core/lifecycle/agent_state_machine.h"

#include <doctest/doctest.h>

namespace muster::lifecycle {
namespace {

using namespace std::chrono_literals;
using session::reason;

// A cluster that answers at random, or well, and watches what the agent does.
class world {
public:
    explicit world(std::uint64_t seed)
        : random_(seed), life_({.entries = 1 + random_.below(3)}, random_.fork()) {
        perform(life_.start(now_));
    }

    // One thing happens: an answer, the end of a channel, or time passes.
    void step(bool well) {
        if (life_.ended()) {
            CHECK(stopped_ == 1);
            perform(any_input());
            return;
        }
        if (request_) {
            const auto what = *std::exchange(request_, std::nullopt);
            perform(well ? good_answer(what) : bad_answer(what));
        } else if (opening_) {
            opening_ = false;
            if (well || random_.chance(500)) {
                open_ = true;
                perform(life_.welcomed(now_));
            } else {
                perform(life_.channel_ended(ending(), now_));
            }
        } else if (open_ && !well) {
            disturb();
        } else if (const auto next = life_.next_deadline()) {
            REQUIRE(*next > now_);  // a pause is never nothing
            now_ = *next;
            at_this_instant_ = 0;
            perform(life_.expire(now_));
        }
    }

    bool attached() const { return life_.attached(); }
    bool ended() const { return life_.ended(); }
    instant now() const { return now_; }

private:
    enum class asked { status, enrol, place };

    void perform(const agent_effects& all) {
        if (stopped_ > 0) CHECK(all.empty());
        for (const auto& each : all) {
            // Whatever the answers are, an agent that does not rest would come here for ever.
            REQUIRE(++at_this_instant_ < 60);
            std::visit([this](const auto& effect) { take(effect); }, each);
        }
    }
    void take(const request_status&) { ask(asked::status); }
    void take(const enrol&) { ask(asked::enrol); }
    void take(const ask_place&) { ask(asked::place); }
    void take(const open_channel& open_channel) {
        CHECK_FALSE(open_);
        CHECK_FALSE(opening_);
        CHECK_FALSE(open_channel.address.empty());
        opening_ = true;
    }
    void take(const close_channel&) { open_ = false; }
    void take(const enter_state&) {}
    void take(const stop_for_ever&) { ++stopped_; }

    void ask(asked what) {
        CHECK_FALSE(request_.has_value());
        request_ = what;
    }

    agent_effects good_answer(asked what) {
        if (what == asked::place) return life_.placed("node1:1", now_);
        return life_.told(system_state::orphan, now_);
    }

    agent_effects bad_answer(asked what) {
        if (random_.chance(300)) return life_.failed(pause(), now_);
        if (what != asked::place) return life_.told(any_state(), now_);
        switch (random_.below(5)) {
            case 0:
                return life_.not_accepted(now_);
            case 1:
                return life_.unplaced(pause(), now_);
            case 2:
                return random_.chance(50) ? life_.told(system_state::deleted, now_)
                                          : life_.unplaced(pause(), now_);
            default:
                return life_.placed(address(), now_);
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
            perform(life_.fenced(now_));
            return;
        }
        open_ = false;
        request_.reset();  // a look-up that was under way comes to nothing
        perform(life_.channel_ended(ending(), now_));
    }

    agent_effects any_input() {
        switch (random_.below(5)) {
            case 0:
                return life_.told(any_state(), now_);
            case 1:
                return life_.placed(address(), now_);
            case 2:
                return life_.channel_ended(ending(), now_);
            case 3:
                return life_.fenced(now_);
            default:
                return life_.expire(now_ + 24h);
        }
    }

    channel_ending ending() {
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
    std::optional<asked> request_;
    bool opening_ = false;
    bool open_ = false;
    int stopped_ = 0;
    int at_this_instant_ = 0;
};

TEST_CASE(
    "whatever the cluster answers there is one channel at most, a pause, and an end that lasts") {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        CAPTURE(seed);
        world world(seed);
        for (int step = 0; step < 300; ++step) world.step(false);
    }
}

TEST_CASE("an agent is always attached once the cluster answers well") {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        CAPTURE(seed);
        world world(seed);
        for (int step = 0; step < 100; ++step) world.step(false);
        const auto healed = world.now();
        for (int step = 0; step < 20 && !world.attached(); ++step) world.step(true);

        CHECK((world.attached() || world.ended()));
        CHECK(world.now() - healed < 20min);
    }
}

}  // namespace
}  // namespace muster::lifecycle
