#pragma once

#include "adapters/metastore/sqlite/inbox.h"
#include "adapters/metastore/sqlite/request.h"
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

// The store thread and all that belongs to it: the store in memory, its file, and who watches.
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

    // Refuses what waits and ends the thread.
    void stop();

    void push(std::unique_ptr<request> request) { inbox_.push(std::move(request)); }
    watch_registry::number next_watch() { return ++watches_made_; }
    void forget(watch_registry::number watch) { inbox_.push_forgotten_watch(watch); }
    // From within a request's answer(), on the store thread.
    void expect(watch_registry::wait wait) { board_.expect(std::move(wait)); }

    sqlite_metastore_figures figures() const;
    limit_hits hits() const { return inbox_.hits() + board_.hits(); }
    void count_transaction() { ++transactions_; }

private:
    // All is well.
    struct serving {};
    // The file could not be written. Memory is as the file is; reads and watches are served.
    struct read_only {
        instant until;
        error why;
    };
    // The file could not even be read again: memory may hold what never happened.
    struct down {
        instant until;
        error why;
    };

    void run();
    std::optional<monotonic::duration> time_to_next_duty() const;
    void serve(inbox::group group);
    void retry_what_is_due(instant now);
    void expire_leases(evaluation& in);
    inbox::group evaluate(inbox::group group, evaluation& in) const;
    result<void> write(const delta& changes);
    void survive_failed_write(const inbox::group& group, const error& why, instant now);
    result<void> reload(instant now);

    std::filesystem::path path_;
    sqlite_metastore_options options_;
    inbox inbox_;
    watch_registry board_;
    std::optional<store_file> file_;
    kv::store store_;
    std::variant<serving, read_only, down> state_;

    std::atomic<watch_registry::number> watches_made_ = 0;
    std::atomic<std::uint64_t> transactions_ = 0;
    std::atomic<std::uint64_t> file_commits_ = 0;
    std::atomic<std::uint64_t> file_failures_ = 0;
    std::thread thread_;  // last: starts when all else stands
};

}  // namespace muster::metastore_sqlite
