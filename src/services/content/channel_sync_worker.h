#pragma once

#include "adapters/repository/repository_reader.h"
#include "base/bounded_queue.h"
#include "ports/clock.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "services/content/content_number_allocator.h"
#include "services/content/content_store.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace muster::content {

// Brings channels up to their repositories, one after the other, while others watch. What a
// repository no longer has stays in the channel: systems may still need it. A server that stops in
// the middle leaves a channel as it was, and what was asked for on record (sync_schedule.h).
// Thread-safe but for run().
class channel_sync_worker {
public:
    static constexpr std::size_t waiting_max = 64;
    static constexpr std::size_t remembered_max = 256;

    struct dependencies {
        content_store& content;
        content_number_allocator& numbers;
        repository::repository_reader& reader;
        muster::clock& clock;
        runtime::logger& log;
    };

    explicit channel_sync_worker(dependencies deps) : deps_(deps) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    struct sync_task {
        std::string channel;
        std::string by;
        bool with_errata = true;
    };
    // errc::unavailable when too many wait already. One that waits is not put in twice.
    result<void> start(sync_task task);

    // Brings on record that a channel is to be brought up, for whichever server does that.
    async<void> request(sync_task task);
    // Rung when something was requested here.
    runtime::async_event& requested() { return requested_; }

    // Channels that were not brought up, which could not be brought on record either: what was
    // asked for is as open as before. Each is given once.
    std::set<std::string> take_unnoted();

    // What is being done for a channel now: "queued", "reads …", "brings 200 of 60000 packages on
    // record"; nothing when nothing is.
    std::optional<std::string> stage_of(const std::string& channel) const;

    // The whole of it, for run() and for tests: how many packages and errata are new in the
    // channel.
    struct outcome {
        std::size_t packages = 0;
        std::size_t errata = 0;
    };
    async<outcome> sync(sync_task task);

private:
    std::optional<sync_task> take();
    void tell(const std::string& channel, std::optional<std::string> stage);

    using contents_ref = std::shared_ptr<const repository::contents>;

    async<contents_ref> read_all(channel_ref channel_ref);
    async<packages::number_set> keep_packages(std::string label, contents_ref contents_ref);
    async<void> keep_piece(std::map<std::string, package_row> rows);
    async<packages::number_set> keep_errata(
        contents_ref contents_ref, packages::number_set within, std::string by);
    // Does an edit with the channel as it is then, again if somebody else was faster.
    using edit = std::function<void(channel&)>;
    async<void> change(std::string label, std::string by, edit edit);
    async<void> note_trouble(sync_task what, std::optional<sync_request> tried, error why);

    dependencies deps_;
    mutable std::mutex guard_;
    bounded_queue<sync_task> waiting_{waiting_max};
    std::map<std::string, std::string> stages_;
    std::set<std::string> unnoted_;
    runtime::async_event more_;
    runtime::async_event requested_;
};

}  // namespace muster::content
