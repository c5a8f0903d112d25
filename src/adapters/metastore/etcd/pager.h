#pragma once

#include "adapters/metastore/etcd/keyspace.h"
#include "core/kv/entry.h"
#include "etcd.pb.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace muster::etcd {

// An estimated range of keys that holds a page: the first `depth` bytes stay, and the eight bytes
// after them, read as a number, grow by `width`.
struct key_step {
    std::size_t depth = 0;
    std::uint64_t width = 1;

    // The end of a window of this width that begins at `from`; nothing when it is beyond all keys
    // with the same first bytes.
    std::optional<std::string> end_from(const std::string& from) const;

    // The distance between two keys, `first` < `last`.
    static key_step between(const std::string& first, const std::string& last);
    void widen(std::uint64_t times);
};

struct page_bounds {
    std::size_t bytes_max = 32 * std::size_t{1024} * 1024;  // then the page ends early
    std::size_t request_entries_max = 2'000;                // of one answer
    std::size_t request_bytes_wanted = 8 * std::size_t{1024} * 1024;
};

// Reads one page as a sequence of requests over bounded windows of keys.
//
// etcd counts all keys of a requested span, however few it returns: paging with a limit over the
// whole rest costs the square of the number of keys. So only the first page of a listing, or one
// whose estimate failed, requests the whole rest. The others request a window of one key_step,
// which is estimated from earlier responses. Pure: the caller sends the requests.
class pager {
public:
    // `step` is the estimate of the page that ended at `request.after`.
    pager(
        const keyspace& keys,
        kv::range_request request,
        std::optional<key_step> step,
        page_bounds bounds = {});

    // The next request; nothing when the page is complete.
    std::optional<etcdserverpb::RangeRequest> next() const;
    void add_response(const etcdserverpb::RangeResponse& response);

    // Requests fewer entries, because the response was too large. False when it cannot be less.
    bool shrink_request();

    // When complete.
    kv::page page() const { return page_; }
    std::optional<key_step> step() const { return step_; }

private:
    std::string window_end() const;
    bool is_past_end(const std::string& key) const;
    std::size_t missing_entries() const { return request_.limit + 1 - page_.entries.size(); }
    std::size_t request_limit() const;
    void adjust_step(const etcdserverpb::RangeResponse& response);

    const keyspace& keys_;
    kv::range_request request_;
    page_bounds bounds_;
    std::string cursor_;
    std::string end_;
    std::optional<key_step> step_;
    std::size_t request_entries_;
    std::size_t sparse_windows_ = 0;
    std::size_t bytes_ = 0;
    bool complete_ = false;
    bool empty_range_ = false;
    kv::page page_;
};

}  // namespace muster::etcd
