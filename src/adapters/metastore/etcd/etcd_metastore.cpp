#include "adapters/metastore/etcd/etcd_metastore.h"

#include "adapters/metastore/etcd/client.h"
#include "adapters/metastore/etcd/committer.h"
#include "adapters/metastore/etcd/endpoints.h"
#include "adapters/metastore/etcd/keyspace.h"
#include "adapters/metastore/etcd/leases.h"
#include "adapters/metastore/etcd/reader.h"
#include "adapters/metastore/etcd/watch_feed.h"
#include "core/kv/validate.h"

#include <utility>

namespace muster {
namespace {

async<void> compact_before(etcd::client& ground, kv::revision oldest) {
    // etcd keeps the state at the revision it is compacted at, but not all changes made by it.
    etcdserverpb::CompactionRequest request;
    request.set_revision(oldest.value() - 1);
    CO_TRY(const auto answer, co_await ground.ask(std::move(request)));
    const bool done = !answer.failed || answer.failed->what == etcd::fate::compacted;
    if (!done) co_return fail(etcd::nothing_done(*answer.failed));
    co_return result<void>();
}

async<etcd_identity> identity_of(etcd::reader& reads) {
    CO_TRY(const auto status, co_await reads.status());
    co_return etcd_identity{.version = status.version(), .cluster = status.header().cluster_id()};
}

}  // namespace

struct etcd_metastore::parts {
    parts(etcd_options options, etcd::endpoints members)
        : keys(options.key_prefix), ground(std::move(options), std::move(members)) {}

    etcd::keyspace keys;
    etcd::client ground;
    etcd::reader reads{ground, keys};
    etcd::committer commits{ground, keys};
    etcd::leases leases{ground, ground.new_prng()};
};

namespace {

// Holds the parts, because it may outlive the metastore it came from.
class etcd_watch final : public metastore_watch {
public:
    etcd_watch(
        std::shared_ptr<void> parts, etcd::client& ground, std::shared_ptr<etcd::watch_feed> feed)
        : parts_(std::move(parts)), ground_(ground), feed_(std::move(feed)) {
        ground_.post([&ground, spawned = feed_] {
            ground.spawn("a watch in etcd", etcd::watch_feed::run(spawned));
        });
    }
    etcd_watch(const etcd_watch&) = delete;
    etcd_watch& operator=(const etcd_watch&) = delete;
    ~etcd_watch() override {
        ground_.post([closed = feed_] { closed->close(); });
    }

    async<kv::watch_event> next() override {
        while (true) {
            CO_CHECK_OK(co_await completed<void>(
                [this](completion<void> done) { feed_->buffer().when_filled(std::move(done)); }));
            if (auto event = feed_->buffer().pop()) co_return *std::move(event);
        }
    }

private:
    std::shared_ptr<void> parts_;
    etcd::client& ground_;
    std::shared_ptr<etcd::watch_feed> feed_;
};

}  // namespace

etcd_metastore::etcd_metastore(std::shared_ptr<parts> parts) : parts_(std::move(parts)) {}

etcd_metastore::~etcd_metastore() {
    parts_->ground.post([parts = parts_.get()] { parts->commits.close(); });
    parts_->ground.stop();
}

result<std::unique_ptr<etcd_metastore>> etcd_metastore::open(etcd_options options) {
    CHECK_OK(check_options(options));
    TRY(auto members, etcd::endpoints::open(options));
    auto result = std::make_shared<parts>(std::move(options), std::move(members));
    return std::unique_ptr<etcd_metastore>(new etcd_metastore(std::move(result)));
}

async<kv::lookup> etcd_metastore::get(std::string key) {
    CO_CHECK_OK(kv::check_key(key));
    co_return co_await parts_->ground.run(parts_->reads.get(std::move(key)));
}

async<kv::page> etcd_metastore::range(kv::range_request request) {
    CO_CHECK_OK(kv::check_range(request));
    co_return co_await parts_->ground.run(parts_->reads.range(std::move(request)));
}

async<kv::verdict> etcd_metastore::commit(kv::transaction change) {
    CO_CHECK_OK(kv::check_transaction(change));
    auto* const parts = parts_.get();
    co_return co_await completed<kv::verdict>([parts, change = std::move(change)](
                                                  completion<kv::verdict> done) mutable {
        parts->ground.post(
            [parts, waiting = etcd::waiting_commit(std::move(change), std::move(done))]() mutable {
                parts->commits.submit(std::move(waiting));
            });
    });
}

async<kv::lease_id> etcd_metastore::grant(std::chrono::seconds ttl) {
    CO_CHECK_OK(kv::check_ttl(ttl));
    co_return co_await parts_->ground.run(parts_->leases.grant(ttl));
}

async<void> etcd_metastore::keep_alive(kv::lease_id lease) {
    return parts_->ground.run(parts_->leases.keep_alive(lease));
}

async<void> etcd_metastore::revoke(kv::lease_id lease) {
    return parts_->ground.run(parts_->leases.revoke(lease));
}

std::unique_ptr<metastore_watch> etcd_metastore::watch(std::string prefix, kv::revision from) {
    auto feed =
        std::make_shared<etcd::watch_feed>(parts_->ground, parts_->keys, std::move(prefix), from);
    return std::make_unique<etcd_watch>(parts_, parts_->ground, std::move(feed));
}

async<void> etcd_metastore::compact(kv::revision oldest) {
    if (oldest.value() <= 1) co_return result<void>();
    co_return co_await parts_->ground.run(compact_before(parts_->ground, oldest));
}

async<etcd_identity> etcd_metastore::identity() {
    return parts_->ground.run(identity_of(parts_->reads));
}

limit_hits etcd_metastore::hits() const {
    return parts_->ground.hits();
}

etcd_counters etcd_metastore::counters() const {
    return {
        .requests = parts_->ground.requests(),
        .retries = parts_->ground.retries(),
        .commits = parts_->commits.commits(),
        .batches = parts_->commits.batches()};
}

}  // namespace muster
