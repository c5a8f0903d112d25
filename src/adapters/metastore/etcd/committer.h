#pragma once

#include "adapters/metastore/etcd/batch.h"
#include "adapters/metastore/etcd/client.h"
#include "adapters/metastore/etcd/keyspace.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

namespace muster::etcd {

// Sends transactions to etcd. Waiting transactions without conflicts share one request. Not
// thread-safe, except for the counters: use it on the client's strand.
//
// Callers whose transactions completed together send their next ones almost together. So a request
// waits a moment, far shorter than etcd needs for it, for as many transactions as the last time.
//
// A transaction is not sent after it waited for the options' timeout, and a request is not retried
// longer than that.
//
// A request whose outcome is unknown is not sent again: its transactions end with errc::timed_out.
class committer {
public:
    committer(client& client, const keyspace& keys);

    // The transaction must be within kv::limits.
    void submit(waiting_commit change);

    // Sends nothing from now on; completes the waiting transactions.
    void close();

    std::uint64_t batches() const { return batches_; }
    std::uint64_t commits() const { return commits_; }

private:
    // The encoding of a batch. `joined` is cheapest for etcd, but one failed condition rejects the
    // whole batch: then it is sent again as `nested`.
    enum class batch_form { alone, joined, nested };

    void send_batches();
    void fail_expired();
    bool can_send() const;
    bool should_wait() const;
    boost::asio::awaitable<void> wait_for_more();
    boost::asio::awaitable<void> send(std::list<waiting_commit> batch);
    boost::asio::awaitable<void> send_one_by_one(std::list<waiting_commit> batch);
    async<response<etcdserverpb::TxnRequest>> transmit(
        etcdserverpb::TxnRequest request, std::shared_ptr<retry_state> retry);
    batch_form choose_form(const std::list<waiting_commit>& batch);
    etcdserverpb::TxnRequest encode_batch(
        const std::list<waiting_commit>& batch, batch_form form) const;
    void complete_batch(
        std::list<waiting_commit>& batch,
        batch_form form,
        const etcdserverpb::TxnResponse& reply) const;

    client& client_;
    const keyspace& keys_;
    batch_limits limits_;
    std::list<waiting_commit> queue_;
    std::size_t waiting_bytes_ = 0;
    std::size_t in_flight_ = 0;
    std::size_t expected_ = 1;  // as many as were told last are likely to come back at once
    std::size_t nested_batches_left_ = 0;  // so many batches are not joined
    std::uint64_t wait_round_ = 0;         // of gathering; each ends with a request
    bool waiting_ = false;
    bool waited_ = false;  // waited long enough for who was expected
    bool send_posted_ = false;
    bool closed_ = false;
    std::atomic<std::uint64_t> batches_ = 0;
    std::atomic<std::uint64_t> commits_ = 0;
};

}  // namespace muster::etcd
