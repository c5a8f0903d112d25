#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

// Records under ids, kept through kill -9 and power failures: what put() and erase() have answered
// well is on disk. A file that only grows, each record with its size and a checksum; a record that
// was being written when the end came is dropped at the next open. When little of the file is still
// of use it is written anew beside itself and renamed.
//
// Bounded. Not thread-safe; one process at a time (the data directory is locked).
class journal {
public:
    static constexpr std::size_t id_bytes_max = 256;
    static constexpr std::size_t record_bytes_max = std::size_t{16} * 1024 * 1024;
    static constexpr std::size_t live_bytes_max = std::size_t{64} * 1024 * 1024;
    static constexpr std::size_t compaction_bytes_min = std::size_t{64} * 1024;

    // Makes directory (mode 0700) and file when they are missing.
    static result<std::unique_ptr<journal>> open(const std::filesystem::path& directory);

    journal(const journal&) = delete;
    journal& operator=(const journal&) = delete;
    ~journal();

    struct change {
        std::string id;
        std::optional<std::string> value;  // nothing: erased
    };
    enum class durability {
        flushed,  // on disk before it is answered
        written,  // survives the end of the process; flushed with the next one that must be
    };

    // One write and one flush for all changes. errc::invalid for what is too large,
    // errc::unavailable when the disk or the bound is full. After a failure all records are the old
    // ones.
    result<void> apply(const std::vector<change>& changes, durability durability);
    result<void> put(const std::string& id, std::string_view value);
    result<void> erase(const std::string& id);

    const std::map<std::string, std::string>& records() const { return records_; }

    std::size_t dropped_bytes() const { return dropped_bytes_; }  // a torn tail, when it was opened
    std::size_t file_bytes() const { return file_bytes_; }

private:
    journal(std::filesystem::path file, int descriptor)
        : file_(std::move(file)), descriptor_(descriptor) {}

    result<void> read();
    result<void> check(const std::vector<change>& changes) const;
    result<void> append(std::string_view records, durability how);
    void keep(const change& change);
    void compact_if_worth();
    result<void> compact();
    result<void> settle();

    std::filesystem::path file_;
    int descriptor_;
    std::map<std::string, std::string> records_;
    std::size_t live_bytes_ = 0;
    std::size_t file_bytes_ = 0;
    std::size_t dropped_bytes_ = 0;
    bool settled_ = true;  // what is open is what the name leads to, also after a power failure
    bool broken_ = false;  // the file's end is not known to be whole
};

}  // namespace muster::agent
