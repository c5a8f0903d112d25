#include "adapters/metastore/etcd/reader.h"

#include <memory>
#include <utility>

namespace muster::etcd {
namespace {

constexpr int compacted_under_us_max = 5;

}  // namespace

// Counts an active read during its lifetime.
class reader::active_read {
public:
    explicit active_read(std::size_t& count) : count_(count) { ++count_; }
    active_read(const active_read&) = delete;
    active_read& operator=(const active_read&) = delete;
    ~active_read() { --count_; }

private:
    std::size_t& count_;
};

result<void> reader::check_limit() {
    if (active_ < client_.options().reads_max) return {};
    client_.count_limits().add_refused();
    return fail(errc::unavailable, "etcd read queue is full");
}

error to_unavailable(const etcd::failure& failure) {
    if (failure.error.code() != errc::timed_out) return failure.error;
    return {errc::unavailable, failure.error.detail()};
}

async<kv::lookup> reader::get(std::string key) {
    CO_CHECK_OK(check_limit());
    const active_read permit(active_);
    etcdserverpb::RangeRequest request;
    request.set_key(keys_.outer(key));
    CO_TRY(const auto response, co_await client_.request(std::move(request)));
    if (response.failure) co_return fail(to_unavailable(*response.failure));
    kv::lookup lookup{.found = {}, .at = kv::revision(response.reply.header().revision())};
    if (response.reply.kvs_size() > 0) lookup.found = keys_.entry_from(response.reply.kvs(0));
    co_return lookup;
}

async<kv::page> reader::range(kv::range_request request) {
    CO_CHECK_OK(check_limit());
    const active_read permit(active_);
    for (int tries = 0; tries < compacted_under_us_max; ++tries) {
        const auto pages = std::make_shared<pager>(keys_, request, find_step(request.after));
        CO_TRY(const auto state, co_await fill(pages));
        if (state == page_state::compacted) continue;
        store_step(pages->page(), pages->step());
        co_return pages->page();
    }
    co_return fail(errc::unavailable, "etcd compacted the revision while it was read");
}

async<reader::page_state> reader::fill(std::shared_ptr<pager> pages) {
    while (auto request = pages->next()) {
        CO_TRY(const auto response, co_await client_.request(*std::move(request)));
        if (!response.failure) {
            pages->add_response(response.reply);
        } else if (response.failure->kind == failure_kind::compacted) {
            co_return page_state::compacted;
        } else if (response.failure->kind != failure_kind::too_large || !pages->shrink_request()) {
            co_return fail(to_unavailable(*response.failure));
        }
    }
    co_return page_state::complete;
}

async<etcdserverpb::StatusResponse> reader::status() {
    CO_TRY(auto response, co_await client_.request(etcdserverpb::StatusRequest()));
    if (response.failure) co_return fail(to_unavailable(*response.failure));
    co_return std::move(response.reply);
}

std::optional<key_step> reader::find_step(const std::string& key) const {
    const auto it = listings_.find(key);
    if (key.empty() || it == listings_.end()) return std::nullopt;
    return it->second;
}

void reader::store_step(const kv::page& page, std::optional<key_step> step) {
    if (!page.more || !step) return;
    const auto& last = page.entries.back().key;
    if (!listings_.insert_or_assign(last, *step).second) return;
    listings_by_age_.push_back(last);
    if (listings_by_age_.size() <= listings_max) return;
    listings_.erase(listings_by_age_.front());
    listings_by_age_.pop_front();
}

}  // namespace muster::etcd
