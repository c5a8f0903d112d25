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

async<void> compact_before(etcd::client& client, kv::revision oldest) {
    // etcd keeps the state at the revision it is compacted at, but not all changes made by it.
    etcdserverpb::CompactionRequest request;
    request.set_revision(oldest.value() - 1);
    CO_TRY(const auto response, co_await client.request(std::move(request)));
    const bool done = !response.failure || response.failure->kind == etcd::failure_kind::compacted;
    if (!done) co_return fail(etcd::to_unavailable(*response.failure));
    co_return result<void>();
}

async<etcd_identity> read_identity(etcd::reader& reader) {
    CO_TRY(const auto status, co_await reader.status());
    co_return etcd_identity{.version = status.version(), .cluster = status.header().cluster_id()};
}

}  // namespace

struct etcd_metastore::parts {
    parts(etcd_options options, etcd::endpoints members)
        : keys(options.key_prefix), client(std::move(options), std::move(members)) {}

    etcd::keyspace keys;
    etcd::client client;
    etcd::reader reader{client, keys};
    etcd::committer committer{client, keys};
    etcd::leases leases{client, client.new_prng()};
};

namespace {

// Holds the parts, because it may outlive the metastore it came from.
class etcd_watch final : public metastore_watch {
public:
    etcd_watch(
        std::shared_ptr<void> parts, etcd::client& client, std::shared_ptr<etcd::watch_feed> feed)
        : parts_(std::move(parts)), client_(client), feed_(std::move(feed)) {
        client_.post([&client, spawned = feed_] {
            client.spawn("etcd watch", etcd::watch_feed::run(spawned));
        });
    }
    etcd_watch(const etcd_watch&) = delete;
    etcd_watch& operator=(const etcd_watch&) = delete;
    ~etcd_watch() override {
        client_.post([closed = feed_] { closed->close(); });
    }

    async<kv::watch_event> next() override {
        while (true) {
            CO_CHECK_OK(co_await await_callback<void>(
                [this](completion<void> done) { feed_->buffer().on_filled(std::move(done)); }));
            if (auto event = feed_->buffer().pop()) co_return *std::move(event);
        }
    }

private:
    std::shared_ptr<void> parts_;
    etcd::client& client_;
    std::shared_ptr<etcd::watch_feed> feed_;
};

}  // namespace

etcd_metastore::etcd_metastore(std::shared_ptr<parts> parts) : parts_(std::move(parts)) {}

etcd_metastore::~etcd_metastore() {
    parts_->client.post([parts = parts_.get()] { parts->committer.close(); });
    parts_->client.stop();
}

result<std::unique_ptr<etcd_metastore>> etcd_metastore::open(etcd_options options) {
    CHECK_OK(check_options(options));
    TRY(auto members, etcd::endpoints::open(options));
    auto parts = std::make_shared<etcd_metastore::parts>(std::move(options), std::move(members));
    return std::unique_ptr<etcd_metastore>(new etcd_metastore(std::move(parts)));
}

async<kv::lookup> etcd_metastore::get(std::string key) {
    CO_CHECK_OK(kv::check_key(key));
    co_return co_await parts_->client.run(parts_->reader.get(std::move(key)));
}

async<kv::page> etcd_metastore::range(kv::range_request request) {
    CO_CHECK_OK(kv::check_range(request));
    co_return co_await parts_->client.run(parts_->reader.range(std::move(request)));
}

async<kv::commit_result> etcd_metastore::commit(kv::transaction change) {
    CO_CHECK_OK(kv::check_transaction(change));
    auto* const parts = parts_.get();
    co_return co_await await_callback<kv::commit_result>(
        [parts, change = std::move(change)](completion<kv::commit_result> done) mutable {
            parts->client.post(
                [parts,
                 waiting = etcd::waiting_commit(std::move(change), std::move(done))]() mutable {
                    parts->committer.submit(std::move(waiting));
                });
        });
}

async<kv::lease_id> etcd_metastore::grant(std::chrono::seconds ttl) {
    CO_CHECK_OK(kv::check_ttl(ttl));
    co_return co_await parts_->client.run(parts_->leases.grant(ttl));
}

async<void> etcd_metastore::keep_alive(kv::lease_id lease) {
    return parts_->client.run(parts_->leases.keep_alive(lease));
}

async<void> etcd_metastore::revoke(kv::lease_id lease) {
    return parts_->client.run(parts_->leases.revoke(lease));
}

std::unique_ptr<metastore_watch> etcd_metastore::watch(std::string prefix, kv::revision from) {
    auto feed =
        std::make_shared<etcd::watch_feed>(parts_->client, parts_->keys, std::move(prefix), from);
    return std::make_unique<etcd_watch>(parts_, parts_->client, std::move(feed));
}

async<void> etcd_metastore::compact(kv::revision oldest) {
    if (oldest.value() <= 1) co_return result<void>();
    co_return co_await parts_->client.run(compact_before(parts_->client, oldest));
}

async<etcd_identity> etcd_metastore::identity() {
    return parts_->client.run(read_identity(parts_->reader));
}

limit_hits etcd_metastore::hits() const {
    return parts_->client.hits();
}

etcd_counters etcd_metastore::counters() const {
    return {
        .requests = parts_->client.requests(),
        .retries = parts_->client.retries(),
        .commits = parts_->committer.commits(),
        .batches = parts_->committer.batches()};
}

}  // namespace muster
