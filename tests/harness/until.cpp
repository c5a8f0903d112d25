#include "tests/harness/until.h"

#include <stdexcept>
#include <utility>

namespace muster::harness {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr auto poll_interval = 1ms;

awaitable<bool> evaluate(std::function<bool()> holds) {
    co_return holds();
}

}  // namespace

awaitable<void> until(muster::clock& clock, std::string text, std::function<bool()> holds) {
    return until_answered(
        clock, std::move(text), [holds = std::move(holds)] { return evaluate(holds); });
}

awaitable<void> until_answered(
    muster::clock& clock, std::string text, std::function<awaitable<bool>()> holds) {
    const instant end = clock.now() + until_timeout;
    while (true) {
        const bool satisfied = co_await holds();
        if (satisfied) co_return;
        if (clock.now() >= end) throw std::runtime_error("in vain waited until: " + text);
        ignore_error(co_await clock.sleep_for(poll_interval), "a look a little later");
    }
}

}  // namespace muster::harness
