#include "adapters/metastore/etcd/pager.h"

#include <algorithm>
#include <limits>

namespace muster::etcd {
namespace {

constexpr std::size_t digits = 8;  // bytes that a stride counts in
constexpr std::size_t lean_windows_max = 2;
constexpr std::uint64_t worth_a_stride = 4;  // pages: what is left is read in one look otherwise

std::uint64_t number_at(const std::string& key, std::size_t depth) {
    std::uint64_t value = 0;
    for (std::size_t i = depth; i < depth + digits; ++i) {
        const auto byte = i < key.size() ? static_cast<unsigned char>(key[i]) : 0U;
        value = (value << 8U) | byte;
    }
    return value;
}

std::string bytes_of(std::uint64_t value) {
    std::string bytes(digits, '\0');
    for (std::size_t i = digits; i > 0; --i, value >>= 8U)
        bytes[i - 1] = static_cast<char>(value & 0xffU);
    return bytes;
}

std::string after(const std::string& key) {
    return key + '\0';
}

}  // namespace

std::optional<std::string> stride::end_from(const std::string& from) const {
    const auto value = number_at(from, depth);
    if (value > std::numeric_limits<std::uint64_t>::max() - width) return std::nullopt;
    std::string end = from.substr(0, depth);
    end.resize(depth, '\0');
    return end + bytes_of(value + width);
}

stride stride::measured(const std::string& first, const std::string& last) {
    const auto common = std::ranges::mismatch(first, last);
    const auto depth = static_cast<std::size_t>(common.in1 - first.begin());
    const auto from = number_at(first, depth);
    const auto to = number_at(last, depth);
    return {.depth = depth, .width = std::max<std::uint64_t>(1, to > from ? to - from : 1)};
}

void stride::widen(std::uint64_t times) {
    width = std::min(width, std::numeric_limits<std::uint64_t>::max() / times) * times;
}

pager::pager(
    const keyspace& keys,
    kv::range_request request,
    std::optional<stride> ahead,
    page_bounds bounds)
    : keys_(keys),
      request_(std::move(request)),
      bounds_(bounds),
      ahead_(ahead),
      request_entries_(bounds.request_entries_max) {
    auto span = keys_.span_of(request_.prefix);
    end_ = std::move(span.end);
    cursor_ = std::move(span.first);
    if (!request_.after.empty()) cursor_ = std::max(cursor_, after(keys_.outer(request_.after)));
    if (beyond(cursor_)) {
        nothing_there_ = true;  // but the page has to say at which revision: look at any one key
        cursor_ = keys_.outer(request_.after);
        end_ = after(cursor_);
        ahead_.reset();
    }
}

bool pager::beyond(const std::string& key) const {
    return end_ != std::string(1, '\0') && key >= end_;
}

std::string pager::window_end() const {
    if (!ahead_) return end_;
    const auto near = ahead_->end_from(cursor_);
    return near && !beyond(*near) ? *near : end_;
}

std::size_t pager::entries_to_ask() const {
    return std::min(wanted(), request_entries_);
}

std::optional<etcdserverpb::RangeRequest> pager::next() const {
    if (complete_) return std::nullopt;
    etcdserverpb::RangeRequest request;
    request.set_key(cursor_);
    request.set_range_end(window_end());
    request.set_limit(static_cast<std::int64_t>(entries_to_ask()));
    request.set_revision(page_.at.value());  // zero at first: the newest
    return request;
}

void pager::take(const etcdserverpb::RangeResponse& answer) {
    const auto window = window_end();
    if (!page_.at) page_.at = kv::revision(answer.header().revision());
    if (nothing_there_) {
        complete_ = true;
        return;
    }
    std::size_t answered_bytes = 0;
    for (const auto& stored : answer.kvs()) {
        answered_bytes += stored.key().size() + stored.value().size();
        page_.entries.push_back(keys_.entry_from(stored));
    }
    bytes_ += answered_bytes;
    learn(answer);

    if (page_.entries.size() > request_.limit) {
        page_.entries.pop_back();
        page_.more = true;
        complete_ = true;
        return;
    }
    cursor_ = answer.more() ? after(answer.kvs().rbegin()->key()) : window;
    complete_ = !answer.more() && window == end_;
    if (!complete_ && bytes_ >= bounds_.bytes_max && !page_.entries.empty()) {
        page_.more = true;  // perhaps: the next page may come out empty
        complete_ = true;
    }
    if (answer.kvs_size() > 0) {
        const auto each = answered_bytes / static_cast<std::size_t>(answer.kvs_size()) + 1;
        request_entries_ = std::clamp<std::size_t>(
            bounds_.request_bytes_wanted / each, 1, bounds_.request_entries_max);
    }
}

void pager::learn(const etcdserverpb::RangeResponse& answer) {
    const auto got = static_cast<std::size_t>(answer.kvs_size());
    const auto there = static_cast<std::uint64_t>(std::max<std::int64_t>(answer.count(), 0));
    const bool lean = got < 2 || got * worth_a_stride < request_.limit;
    if (ahead_ && lean && !answer.more()) {
        // The keys are not where they were expected. Look farther, then everywhere.
        if (++lean_windows_ >= lean_windows_max) {
            ahead_.reset();
        } else {
            ahead_->widen(16);
        }
        return;
    }
    lean_windows_ = 0;
    if (there <= worth_a_stride * request_.limit) return;
    if (got < 2) return;
    ahead_ = stride::measured(answer.kvs(0).key(), answer.kvs().rbegin()->key());
    // Aim at two pages: better a little too far than two requests for one page.
    const auto aim = 2 * static_cast<std::uint64_t>(request_.limit) / got + 1;
    ahead_->widen(aim);
}

bool pager::ask_for_less() {
    if (entries_to_ask() <= 1) return false;
    request_entries_ = std::max<std::size_t>(1, entries_to_ask() / 8);
    return true;
}

}  // namespace muster::etcd
