#pragma once

#include "adapters/repository/repository_reader.h"
#include "base/bounded_queue.h"
#include "ports/clock.h"
#include "services/content/library.h"
#include "services/content/number_counter.h"
#include "runtime/bell.h"
#include "runtime/log.h"

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
class sync_desk {
public:
    static constexpr std::size_t waiting_max = 64;
    static constexpr std::size_t remembered_max = 256;

    struct surroundings {
        library& books;
        number_counter& numbers;
        repository::repository_reader& reader;
        clock& time;
        runtime::logger& log;
    };

    explicit sync_desk(surroundings around) : around_(around) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    struct wish {
        std::string channel;
        std::string by;
        bool with_errata = true;
    };
    // errc::unavailable when too many wait already. One that waits is not put in twice.
    result<void> start(wish what);

    // Brings on record that a channel is to be brought up, for whichever server does that.
    async<void> request(wish what);
    // Rung when something was requested here.
    runtime::bell& requested() { return requested_; }

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
    async<outcome> sync(wish what);

private:
    std::optional<wish> take();
    void tell(const std::string& channel, std::optional<std::string> stage);

    using contents_ref = std::shared_ptr<const repository::contents>;

    async<contents_ref> read_all(channel_ref which);
    async<packages::number_set> keep_packages(std::string label, contents_ref found);
    async<void> keep_piece(std::map<std::string, package_row> rows);
    async<packages::number_set> keep_errata(
        contents_ref found, packages::number_set within, std::string by);
    // Does an edit with the channel as it is then, again if somebody else was faster.
    using edit = std::function<void(channel&)>;
    async<void> change(std::string label, std::string by, edit how);
    async<void> note_trouble(wish what, std::optional<sync_request> tried, error why);

    surroundings around_;
    mutable std::mutex guard_;
    bounded_queue<wish> waiting_{waiting_max};
    std::map<std::string, std::string> stages_;
    std::set<std::string> unnoted_;
    runtime::bell more_;
    runtime::bell requested_;
};

}  // namespace muster::content
