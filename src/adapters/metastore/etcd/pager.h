#pragma once

#include "adapters/metastore/etcd/keyspace.h"
#include "core/kv/entry.h"
#include "etcd.pb.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::etcd {

// How far to go in the order of keys to meet a wanted number of them: the first `depth` bytes stay,
// the eight bytes after them, read as a number, grow by `width`.
struct stride {
    std::size_t depth = 0;
    std::uint64_t width = 1;

    // Where a window of this width that begins at `from` ends; nothing when that is beyond all keys
    // with the same first bytes.
    std::optional<std::string> end_from(const std::string& from) const;

    // From what lies between two keys, `first` < `last`, to what lies in front of the next ones.
    static stride measured(const std::string& first, const std::string& last);
    void widen(std::uint64_t times);
};

struct page_bounds {
    std::size_t bytes_max = 32 * std::size_t{1024} * 1024;  // then the page ends early
    std::size_t request_entries_max = 2'000;                // of one answer
    std::size_t request_bytes_wanted = 8 * std::size_t{1024} * 1024;
};

// Reads one page as a sequence of requests over bounded windows of keys.
//
// etcd counts all keys of the span it is asked for, however few it may return: paging with a limit
// over the whole rest costs the square of the number of keys. So only the first page of a listing,
// and one that has lost its way, look at the whole rest; the others look a stride ahead, which is
// learned from what came before. Pure: the caller asks etcd.
class pager {
public:
    // `ahead` is what the page that ended at `request.after` learned.
    pager(
        const keyspace& keys,
        kv::range_request request,
        std::optional<stride> ahead,
        page_bounds bounds = {});

    // What to ask next; nothing when the page is complete.
    std::optional<etcdserverpb::RangeRequest> next() const;
    void take(const etcdserverpb::RangeResponse& answer);

    // The answer was larger than gRPC takes: ask for less. False when it cannot be less.
    bool ask_for_less();

    // When complete.
    kv::page page() const { return page_; }
    std::optional<stride> ahead() const { return ahead_; }

private:
    std::string window_end() const;
    bool beyond(const std::string& key) const;
    std::size_t wanted() const { return request_.limit + 1 - page_.entries.size(); }
    std::size_t entries_to_ask() const;
    void learn(const etcdserverpb::RangeResponse& answer);

    const keyspace& keys_;
    kv::range_request request_;
    page_bounds bounds_;
    std::string cursor_;
    std::string end_;
    std::optional<stride> ahead_;
    std::size_t request_entries_;
    std::size_t lean_windows_ = 0;
    std::size_t bytes_ = 0;
    bool complete_ = false;
    bool nothing_there_ = false;
    kv::page page_;
};

}  // namespace muster::etcd
