#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/content/channel_sync_worker.h"
#include "services/content/content_store.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::content {

// Whether it is a cron expression, as core/schedules/cron.h takes it. errc::invalid names the
// field.
result<void> check_schedule(std::string_view cron);

// When a channel is to be brought up next by its schedule, which counts in UTC from when it was set
// or the channel was last brought up; a try counts also if it failed. Nothing: it has none.
std::optional<wall_time> next_sync(
    const channel& of, const std::optional<wall_time>& last_try = std::nullopt);

// Starts what schedules of channels have due, and what people asked for on whichever server: also
// what another server began and did not end. Several times that passed while nobody looked are one.
class sync_schedule {
public:
    struct dependencies {
        content_store& content;
        channel_sync_worker& syncs;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit sync_schedule(dependencies deps) : deps_(deps) {}

    // While this server is the one to do it; until it is cancelled.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

    // Starts what is due now.
    async<void> look();

private:
    std::optional<channel_sync_worker::sync_task> wish_for(const channel& of, wall_time now) const;

    // What was started of a channel. Requests are told apart by themselves: the clock of the server
    // that was asked may be another one.
    struct attempt {
        wall_time at;
        std::optional<sync_request> asked;
    };
    dependencies deps_;
    std::map<std::string, attempt> tried_;
};

}  // namespace muster::content
