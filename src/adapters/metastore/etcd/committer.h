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

// Sends transactions to etcd, those that wait at the same time and do not touch each other as one
// request. Lives on the client's strand, but for the counters.
//
// Callers that were told together come back together, but not in the same instant: a request is
// held back a moment, far shorter than etcd needs for it, for as many as there were the last time.
//
// A transaction that has waited for its turn as long as the options' timeout is not sent any more,
// and a request is tried no longer than that: nothing waits for ever behind an etcd that is away.
//
// A request whose outcome is unknown is not sent again: all its callers are told errc::timed_out.
class committer {
public:
    committer(client& ground, const keyspace& keys);

    // The transaction must be within kv::limits.
    void submit(waiting_commit change);

    // Nothing is sent from now on; who waits is told.
    void close();

    std::uint64_t batches() const { return batches_; }
    std::uint64_t commits() const { return commits_; }

private:
    // How a batch travels. Joined it is cheapest for etcd, but one condition that fails undoes it
    // all: then it goes again, nested.
    enum class form { alone, joined, nested };

    void pump();
    void give_up_expired();
    bool may_send_another() const;
    bool worth_waiting() const;
    boost::asio::awaitable<void> gather();
    boost::asio::awaitable<void> send(std::list<waiting_commit> batch);
    boost::asio::awaitable<void> send_each(std::list<waiting_commit> batch);
    async<answer<etcdserverpb::TxnRequest>> transmit(
        etcdserverpb::TxnRequest request, std::shared_ptr<retry_state> tries);
    form form_for(const std::list<waiting_commit>& batch);
    etcdserverpb::TxnRequest request_for(const std::list<waiting_commit>& batch, form how) const;
    void tell(
        std::list<waiting_commit>& batch, form how, const etcdserverpb::TxnResponse& reply) const;

    client& ground_;
    const keyspace& keys_;
    batch_limits limits_;
    std::list<waiting_commit> queue_;
    std::size_t waiting_bytes_ = 0;
    std::size_t in_flight_ = 0;
    std::size_t expected_ = 1;     // as many as were told last are likely to come back at once
    std::size_t nested_next_ = 0;  // so many batches are not joined
    std::uint64_t round_ = 0;      // of gathering; each ends with a request
    bool gathering_ = false;
    bool gathered_ = false;  // waited long enough for who was expected
    bool pump_due_ = false;
    bool closed_ = false;
    std::atomic<std::uint64_t> batches_ = 0;
    std::atomic<std::uint64_t> commits_ = 0;
};

}  // namespace muster::etcd
