#pragma once

#include "adapters/metastore/etcd/client.h"
#include "adapters/metastore/etcd/keyspace.h"
#include "adapters/metastore/etcd/watch_buffer.h"
#include "adapters/metastore/etcd/watch_stream.h"
#include "core/kv/entry.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::etcd {

// Keeps a watch's buffer filled: opens a stream, and another one from the last whole revision on
// when it breaks, on the next endpoint. When the buffer is full it lets go of the stream and comes
// back when the reader has caught up. Lives on the client's strand.
class watch_feed {
public:
    watch_feed(client& ground, const keyspace& keys, std::string prefix, kv::revision from);

    // To be spawned on the client; ends after close(), after compaction, or with the client.
    static boost::asio::awaitable<void> run(std::shared_ptr<watch_feed> self);
    void close();

    // Thread-safe, for the reader.
    watch_buffer& buffer() { return buffer_; }

private:
    enum class ending { broken, paused, over, denied };

    boost::asio::awaitable<void> follow_until_over();
    async<ending> follow();
    async<bool> create(std::shared_ptr<watch_stream> stream);
    async<ending> read_on(std::shared_ptr<watch_stream> stream);
    async<ending> why_ended(std::shared_ptr<watch_stream> stream);
    async<void> pause_after(ending how);
    std::optional<ending> take(const etcdserverpb::WatchResponse& watch_response);
    ending cancelled(const etcdserverpb::WatchResponse& watch_response);
    void keep(const etcdserverpb::WatchResponse& watch_response);
    etcdserverpb::WatchRequest request() const;

    client& ground_;
    const keyspace& keys_;
    std::string prefix_;
    kv::revision from_;  // the first revision the reader has not been given
    watch_buffer buffer_;
    std::vector<kv::change> gathered_;  // of an answer that comes in fragments
    std::shared_ptr<watch_stream> stream_;
    std::size_t member_ = 0;
    std::string token_;
    backoff pause_;
    std::optional<etcdserverpb::WatchResponse> refusal_;  // etcd's first word was no
    int denials_ = 0;
    bool closed_ = false;
};

}  // namespace muster::etcd
