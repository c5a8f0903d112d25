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

// Durable records by id. Changes that apply() confirmed as flushed survive kill -9 and power
// failures. The file is append-only; each record has a size and a checksum. A torn record at the
// end is dropped when the file is opened. A file with mostly outdated records is rewritten and
// renamed.
//
// Bounded. Not thread-safe; one process at a time (the data directory is locked).
class journal {
public:
    static constexpr std::size_t id_bytes_max = 256;
    static constexpr std::size_t record_bytes_max = std::size_t{16} * 1024 * 1024;
    static constexpr std::size_t live_bytes_max = std::size_t{64} * 1024 * 1024;
    static constexpr std::size_t compaction_bytes_min = std::size_t{64} * 1024;

    // Creates directory (mode 0700) and file if they are missing.
    static result<std::unique_ptr<journal>> open(const std::filesystem::path& directory);

    journal(const journal&) = delete;
    journal& operator=(const journal&) = delete;
    ~journal();

    struct change {
        std::string id;
        std::optional<std::string> value;  // nullopt: erase
    };
    enum class durability {
        flushed,  // on disk when apply() returns
        written,  // survives the end of the process; flushed with the next flushed change
    };

    // One write and one flush for all changes. errc::invalid: a record is too large.
    // errc::unavailable: the disk or the journal is full. After an error no change is applied.
    result<void> apply(const std::vector<change>& changes, durability durability);
    result<void> put(const std::string& id, std::string_view value);
    result<void> erase(const std::string& id);

    const std::map<std::string, std::string>& records() const { return records_; }

    std::size_t dropped_bytes() const { return dropped_bytes_; }  // torn tail found by open()
    std::size_t file_bytes() const { return file_bytes_; }

private:
    journal(std::filesystem::path file, int descriptor)
        : file_(std::move(file)), descriptor_(descriptor) {}

    result<void> read();
    result<void> check(const std::vector<change>& changes) const;
    result<void> append(std::string_view records, durability mode);
    void apply_to_memory(const change& change);
    void compact_if_useful();
    result<void> compact();
    result<void> reopen_if_replaced();

    std::filesystem::path file_;
    int descriptor_;
    std::map<std::string, std::string> records_;
    std::size_t live_bytes_ = 0;
    std::size_t file_bytes_ = 0;
    std::size_t dropped_bytes_ = 0;
    bool current_ = true;  // the open file has the journal's name, also after a power failure
    bool broken_ = false;  // the end of the file may be damaged
};

}  // namespace muster::agent
