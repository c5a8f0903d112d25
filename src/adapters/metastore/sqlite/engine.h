#pragma once

#include "adapters/metastore/sqlite/request.h"
#include "adapters/metastore/sqlite/request_queue.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/metastore/sqlite/store_file.h"
#include "adapters/metastore/sqlite/watch_registry.h"
#include "base/result.h"
#include "base/time.h"
#include "core/kv/store.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <variant>

namespace muster::metastore_sqlite {

// The store thread with its data: the store in memory, its file, and the waiting watches.
//
// Only push(), forget(), next_watch(), figures() and hits() may be called from other threads.
class engine {
public:
    static result<std::shared_ptr<engine>> open(
        std::filesystem::path file, sqlite_metastore_options options);

    engine(
        std::filesystem::path path,
        sqlite_metastore_options options,
        store_file file,
        kv::store store);
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine();

    // Refuses waiting requests and ends the thread.
    void stop();

    void push(std::unique_ptr<request> request) { queue_.push(std::move(request)); }
    watch_registry::number next_watch() { return ++last_watch_; }
    void close_watch(watch_registry::number watch) { queue_.push_closed_watch(watch); }
    // From within a request's answer(), on the store thread.
    void add_wait(watch_registry::wait wait) { watches_.add_wait(std::move(wait)); }

    sqlite_metastore_statistics statistics() const;
    limit_hits hits() const { return queue_.hits() + watches_.hits(); }
    void count_transaction() { ++transactions_; }

private:
    // Normal operation.
    struct serving {};
    // The file could not be written. Memory equals the file; reads and watches are served.
    struct read_only {
        instant retry_at;
        error reason;
    };
    // The file could not be read again: memory may hold changes that were not written.
    struct down {
        instant retry_at;
        error reason;
    };

    void run();
    std::optional<monotonic::duration> time_to_next_task() const;
    void serve(request_queue::group group);
    void retry_if_due(instant now);
    void expire_leases(metastore_sqlite::evaluation& evaluation);
    request_queue::group evaluate(
        request_queue::group group, metastore_sqlite::evaluation& evaluation) const;
    result<void> write(const delta& changes);
    void handle_failed_write(const request_queue::group& group, const error& reason, instant now);
    result<void> reload(instant now);

    std::filesystem::path path_;
    sqlite_metastore_options options_;
    request_queue queue_;
    watch_registry watches_;
    std::optional<store_file> file_;
    kv::store store_;
    std::variant<serving, read_only, down> state_;

    std::atomic<watch_registry::number> last_watch_ = 0;
    std::atomic<std::uint64_t> transactions_ = 0;
    std::atomic<std::uint64_t> file_commits_ = 0;
    std::atomic<std::uint64_t> file_failures_ = 0;
    std::thread thread_;  // last, because it uses the other members
};

}  // namespace muster::metastore_sqlite
