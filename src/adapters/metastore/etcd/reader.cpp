#include "adapters/metastore/etcd/reader.h"

#include <memory>
#include <utility>

namespace muster::etcd {
namespace {

constexpr int compacted_under_us_max = 5;

}  // namespace

// A read counts from here to its end.
class reader::place {
public:
    explicit place(std::size_t& reserved) : taken_(reserved) { ++taken_; }
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() { --taken_; }

private:
    std::size_t& taken_;
};

result<void> reader::admit() {
    if (under_way_ < ground_.options().reads_max) return {};
    ground_.count_limits().refused();
    return fail(errc::unavailable, "too many reads wait for etcd already");
}

error nothing_done(const failure& failed) {
    if (failed.told.code() != errc::timed_out) return failed.told;
    return {errc::unavailable, failed.told.detail()};
}

async<kv::lookup> reader::get(std::string key) {
    CO_CHECK_OK(admit());
    const place held(under_way_);
    etcdserverpb::RangeRequest request;
    request.set_key(keys_.outer(key));
    CO_TRY(const auto answer, co_await ground_.ask(std::move(request)));
    if (answer.failed) co_return fail(nothing_done(*answer.failed));
    kv::lookup look{.found = {}, .at = kv::revision(answer.reply.header().revision())};
    if (answer.reply.kvs_size() > 0) look.found = keys_.entry_from(answer.reply.kvs(0));
    co_return look;
}

async<kv::page> reader::range(kv::range_request request) {
    CO_CHECK_OK(admit());
    const place held(under_way_);
    for (int tries = 0; tries < compacted_under_us_max; ++tries) {
        const auto pages = std::make_shared<pager>(keys_, request, ahead_after(request.after));
        CO_TRY(const auto state, co_await fill(pages));
        if (state == page_state::compacted) continue;
        remember(pages->page(), pages->ahead());
        co_return pages->page();
    }
    co_return fail(errc::unavailable, "etcd was compacted faster than a page could be read");
}

async<reader::page_state> reader::fill(std::shared_ptr<pager> pages) {
    while (auto request = pages->next()) {
        CO_TRY(const auto answer, co_await ground_.ask(*std::move(request)));
        if (!answer.failed) {
            pages->take(answer.reply);
        } else if (answer.failed->what == fate::compacted) {
            co_return page_state::compacted;
        } else if (answer.failed->what != fate::too_large || !pages->ask_for_less()) {
            co_return fail(nothing_done(*answer.failed));
        }
    }
    co_return page_state::complete;
}

async<etcdserverpb::StatusResponse> reader::status() {
    CO_TRY(auto answer, co_await ground_.ask(etcdserverpb::StatusRequest()));
    if (answer.failed) co_return fail(nothing_done(*answer.failed));
    co_return std::move(answer.reply);
}

std::optional<stride> reader::ahead_after(const std::string& key) const {
    const auto it = listings_.find(key);
    if (key.empty() || it == listings_.end()) return std::nullopt;
    return it->second;
}

void reader::remember(const kv::page& page, std::optional<stride> ahead) {
    if (!page.more || !ahead) return;
    const auto& last = page.entries.back().key;
    if (!listings_.insert_or_assign(last, *ahead).second) return;
    listings_by_age_.push_back(last);
    if (listings_by_age_.size() <= listings_max) return;
    listings_.erase(listings_by_age_.front());
    listings_by_age_.pop_front();
}

}  // namespace muster::etcd
