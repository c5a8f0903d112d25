#include "tests/harness/until.h"

#include <stdexcept>
#include <utility>

namespace muster::harness {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr auto look_interval = 1ms;

awaitable<bool> look(std::function<bool()> holds) {
    co_return holds();
}

}  // namespace

awaitable<void> until(clock& time, std::string text, std::function<bool()> holds) {
    return until_answered(
        time, std::move(text), [holds = std::move(holds)] { return look(holds); });
}

awaitable<void> until_answered(
    clock& time, std::string text, std::function<awaitable<bool>()> holds) {
    const instant end = time.now() + until_patience;
    while (true) {
        const bool held = co_await holds();
        if (held) co_return;
        if (time.now() >= end) throw std::runtime_error("in vain waited until: " + text);
        ignore_error(co_await time.sleep_for(look_interval), "a look a little later");
    }
}

}  // namespace muster::harness
