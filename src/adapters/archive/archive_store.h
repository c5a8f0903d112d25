#pragma once

#include "adapters/archive/manifest.h"
#include "ports/async.h"

#include <boost/asio/thread_pool.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace muster::archive {

// A directory of archives. One background thread compresses and flushes, so that event loops do not
// wait. Writes one file at a time.
class archive_store {
public:
    explicit archive_store(std::filesystem::path directory) : directory_(std::move(directory)) {}
    archive_store(const archive_store&) = delete;
    archive_store& operator=(const archive_store&) = delete;
    ~archive_store();

    // Finds the first part of the archive that begins at `from`. errc::corrupt if a file of the
    // manifest is missing or has another size.
    async<std::optional<manifest>> find(wall_time from);

    // True if a part that the ledger records as written exists. Writes its manifest if only that is
    // missing after a crash. errc::corrupt as above.
    async<bool> adopt(manifest recorded);

    struct part_name {
        std::string table;
        wall_time from;
        std::int64_t part = 1;
    };
    async<void> begin(part_name part);
    // Calls `write` on the store's thread.
    async<void> append(std::function<result<void>(file_writer&)> write);
    async<archived_file> end();

    // Completes the part; call last.
    async<void> write_manifest(manifest manifest);

private:
    // Calls `work`, which returns a result<T>, on the store's thread.
    template <class T, class Work>
    async<T> run_on_thread(Work work);

    std::filesystem::path directory_;
    std::optional<file_writer> writer_;  // used by the thread only
    std::string table_;
    boost::asio::thread_pool thread_{1};
};

}  // namespace muster::archive
