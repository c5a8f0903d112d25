#pragma once

#include "adapters/archive/manifest.h"
#include "ports/async.h"

#include <boost/asio/thread_pool.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace muster::archive {

// A directory of archives, written by one thread of its own: packing and flushing take long, and
// nobody's event loop waits for them. One file at a time.
class archive_store {
public:
    explicit archive_store(std::filesystem::path directory) : directory_(std::move(directory)) {}
    archive_store(const archive_store&) = delete;
    archive_store& operator=(const archive_store&) = delete;
    ~archive_store();

    // The archive of the span that begins then, its first part, if there is one. errc::corrupt when
    // a file that the manifest names is not there in its full size: then somebody has to look.
    async<std::optional<manifest>> find(wall_time from);

    // Whether a part that is on record as written is here. Gives it its manifest if its files are
    // here without one: then a crash came between. errc::corrupt as above.
    async<bool> adopt(manifest on_record);

    struct place {
        std::string table;
        wall_time from;
        std::int64_t part = 1;
    };
    async<void> begin(place where);
    // Calls `put` on the store's thread.
    async<void> append(std::function<result<void>(file_writer&)> put);
    async<archived_file> end();

    // Last of all.
    async<void> conclude(manifest manifest);

private:
    // Calls `work`, which returns a result<T>, on the store's thread.
    template <class T, class Work>
    async<T> perform(Work work);

    std::filesystem::path directory_;
    std::optional<file_writer> writing_;  // by the thread alone
    std::string table_;
    boost::asio::thread_pool thread_{1};
};

}  // namespace muster::archive
