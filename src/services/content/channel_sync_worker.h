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

// Synchronises channels with their repositories, one at a time. Packages that a repository no
// longer has stay in the channel: systems may still need them. If a server stops during a run, the
// channel is unchanged and the request stays recorded (sync_schedule.h). Thread-safe except for
// run().
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

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run();

    struct sync_task {
        std::string channel;
        std::string by;
        bool with_errata = true;
    };
    // Queues a channel; a queued channel is not queued twice. errc::unavailable when the queue is
    // full.
    result<void> start(sync_task task);

    // Records a request to synchronise a channel, on any server.
    async<void> request(sync_task task);
    // Notified after each request on this server.
    runtime::async_event& requested() { return requested_; }

    // Returns, once, the channels whose failure could not be recorded: their requests are still
    // open.
    std::set<std::string> take_unrecorded();

    // Progress of a channel as text; empty if it is neither queued nor running.
    std::optional<std::string> stage_of(const std::string& channel) const;

    // Synchronises one channel, for run() and tests. Returns the numbers of new packages and
    // errata.
    struct outcome {
        std::size_t packages = 0;
        std::size_t errata = 0;
    };
    async<outcome> sync(sync_task task);

private:
    std::optional<sync_task> pop();
    void set_stage(const std::string& channel, std::optional<std::string> stage);

    using contents_ref = std::shared_ptr<const repository::contents>;

    async<contents_ref> read_all(channel_ref channel);
    async<packages::number_set> write_packages(std::string label, contents_ref contents);
    async<void> write_package_batch(std::map<std::string, package_row> rows);
    async<packages::number_set> write_errata(
        contents_ref contents, packages::number_set within, std::string by);
    // Applies an edit to the current channel; retries after a concurrent change.
    using edit = std::function<void(channel&)>;
    async<void> change(std::string label, std::string by, edit edit);
    async<void> record_failure(sync_task task, std::optional<sync_request> tried, error failure);

    dependencies deps_;
    mutable std::mutex mutex_;
    bounded_queue<sync_task> queue_{waiting_max};
    std::map<std::string, std::string> stages_;
    std::set<std::string> unrecorded_;
    runtime::async_event queued_;
    runtime::async_event requested_;
};

}  // namespace muster::content
