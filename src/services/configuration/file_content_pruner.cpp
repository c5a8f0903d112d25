#include "services/configuration/file_content_pruner.h"

#include <chrono>
#include <string>

namespace muster::configuration {
namespace {

constexpr auto pause_between = std::chrono::hours(24);
constexpr auto pause_first = std::chrono::hours(1);  // servers may be started anew every day

}  // namespace

boost::asio::awaitable<void> file_content_pruner::run(const std::atomic<bool>& active) {
    monotonic::duration pause = pause_first;
    while (true) {
        const auto slept = co_await clock_.sleep_for(pause);
        if (!slept) co_return;
        if (!active) continue;
        pause = pause_between;
        const auto gone = co_await files_.prune_contents();
        if (!gone && gone.error().code() == errc::cancelled) co_return;
        if (!gone)
            log_.warning("file content pruning failed", {{"error", to_string(gone.error())}});
        else if (*gone > 0)
            log_.info("unused file contents deleted", {{"count", *gone}});
    }
}

}  // namespace muster::configuration
