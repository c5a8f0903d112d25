#include "adapters/metastore/etcd/pager.h"

#include <algorithm>
#include <limits>

namespace muster::etcd {
namespace {

constexpr std::size_t digits = 8;  // bytes that a stride counts in
constexpr std::size_t sparse_windows_max = 2;
constexpr std::uint64_t pages_worth_stepping =
    4;  // pages: what is left is read in one look otherwise

std::uint64_t read_number(const std::string& key, std::size_t depth) {
    std::uint64_t value = 0;
    for (std::size_t i = depth; i < depth + digits; ++i) {
        const auto byte = i < key.size() ? static_cast<unsigned char>(key[i]) : 0U;
        value = (value << 8U) | byte;
    }
    return value;
}

std::string to_bytes(std::uint64_t value) {
    std::string bytes(digits, '\0');
    for (std::size_t i = digits; i > 0; --i, value >>= 8U)
        bytes[i - 1] = static_cast<char>(value & 0xffU);
    return bytes;
}

std::string successor(const std::string& key) {
    return key + '\0';
}

}  // namespace

std::optional<std::string> key_step::end_from(const std::string& start) const {
    const auto value = read_number(start, depth);
    if (value > std::numeric_limits<std::uint64_t>::max() - width) return std::nullopt;
    std::string end = start.substr(0, depth);
    end.resize(depth, '\0');
    return end + to_bytes(value + width);
}

key_step key_step::between(const std::string& first, const std::string& last) {
    const auto common = std::ranges::mismatch(first, last);
    const auto depth = static_cast<std::size_t>(common.in1 - first.begin());
    const auto start = read_number(first, depth);
    const auto end = read_number(last, depth);
    return {.depth = depth, .width = std::max<std::uint64_t>(1, end > start ? end - start : 1)};
}

void key_step::widen(std::uint64_t times) {
    width = std::min(width, std::numeric_limits<std::uint64_t>::max() / times) * times;
}

pager::pager(
    const keyspace& keys,
    kv::range_request request,
    std::optional<key_step> step,
    page_bounds bounds)
    : keys_(keys),
      request_(std::move(request)),
      bounds_(bounds),
      step_(step),
      request_entries_(bounds.request_entries_max) {
    auto span = keys_.span_of(request_.prefix);
    end_ = std::move(span.end);
    cursor_ = std::move(span.first);
    if (!request_.after.empty())
        cursor_ = std::max(cursor_, successor(keys_.outer(request_.after)));
    if (is_past_end(cursor_)) {
        empty_range_ = true;  // but the page has to say at which revision: look at any one key
        cursor_ = keys_.outer(request_.after);
        end_ = successor(cursor_);
        step_.reset();
    }
}

bool pager::is_past_end(const std::string& key) const {
    return end_ != std::string(1, '\0') && key >= end_;
}

std::string pager::window_end() const {
    if (!step_) return end_;
    const auto window = step_->end_from(cursor_);
    return window && !is_past_end(*window) ? *window : end_;
}

std::size_t pager::request_limit() const {
    return std::min(missing_entries(), request_entries_);
}

std::optional<etcdserverpb::RangeRequest> pager::next() const {
    if (complete_) return std::nullopt;
    etcdserverpb::RangeRequest request;
    request.set_key(cursor_);
    request.set_range_end(window_end());
    request.set_limit(static_cast<std::int64_t>(request_limit()));
    request.set_revision(page_.at.value());  // zero at first: the newest
    return request;
}

void pager::add_response(const etcdserverpb::RangeResponse& response) {
    const auto window = window_end();
    if (!page_.at) page_.at = kv::revision(response.header().revision());
    if (empty_range_) {
        complete_ = true;
        return;
    }
    std::size_t received_bytes = 0;
    for (const auto& stored : response.kvs()) {
        received_bytes += stored.key().size() + stored.value().size();
        page_.entries.push_back(keys_.entry_from(stored));
    }
    bytes_ += received_bytes;
    adjust_step(response);

    if (page_.entries.size() > request_.limit) {
        page_.entries.pop_back();
        page_.more = true;
        complete_ = true;
        return;
    }
    cursor_ = response.more() ? successor(response.kvs().rbegin()->key()) : window;
    complete_ = !response.more() && window == end_;
    if (!complete_ && bytes_ >= bounds_.bytes_max && !page_.entries.empty()) {
        page_.more = true;  // perhaps: the next page may come out empty
        complete_ = true;
    }
    if (response.kvs_size() > 0) {
        const auto average_bytes =
            received_bytes / static_cast<std::size_t>(response.kvs_size()) + 1;
        request_entries_ = std::clamp<std::size_t>(
            bounds_.request_bytes_wanted / average_bytes, 1, bounds_.request_entries_max);
    }
}

void pager::adjust_step(const etcdserverpb::RangeResponse& response) {
    const auto received = static_cast<std::size_t>(response.kvs_size());
    const auto total = static_cast<std::uint64_t>(std::max<std::int64_t>(response.count(), 0));
    const bool sparse = received < 2 || received * pages_worth_stepping < request_.limit;
    if (step_ && sparse && !response.more()) {
        // The keys are not where they were expected. Look farther, then everywhere.
        if (++sparse_windows_ >= sparse_windows_max) {
            step_.reset();
        } else {
            step_->widen(16);
        }
        return;
    }
    sparse_windows_ = 0;
    if (total <= pages_worth_stepping * request_.limit) return;
    if (received < 2) return;
    step_ = key_step::between(response.kvs(0).key(), response.kvs().rbegin()->key());
    // Aim at two pages: better a little too far than two requests for one page.
    const auto factor = 2 * static_cast<std::uint64_t>(request_.limit) / received + 1;
    step_->widen(factor);
}

bool pager::shrink_request() {
    if (request_limit() <= 1) return false;
    request_entries_ = std::max<std::size_t>(1, request_limit() / 8);
    return true;
}

}  // namespace muster::etcd
