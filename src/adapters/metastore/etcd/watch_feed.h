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

// Fills the buffer of a watch from a stream. When the stream breaks, it opens another one on the
// next endpoint, from the last complete revision on. When the buffer is full, it closes the stream
// until the reader has caught up. Not thread-safe, except buffer(); use it on the client's strand.
class watch_feed {
public:
    watch_feed(client& client, const keyspace& keys, std::string prefix, kv::revision from);

    // Spawn it on the client. Ends after close(), after compaction, or with the client.
    static boost::asio::awaitable<void> run(std::shared_ptr<watch_feed> self);
    void close();

    // Thread-safe, for the reader.
    watch_buffer& buffer() { return buffer_; }

private:
    enum class stream_end { broken, paused, over, denied };

    boost::asio::awaitable<void> run_loop();
    async<stream_end> follow_stream();
    async<bool> create(std::shared_ptr<watch_stream> stream);
    async<stream_end> read_responses(std::shared_ptr<watch_stream> stream);
    async<stream_end> find_ending(std::shared_ptr<watch_stream> stream);
    async<void> pause_after(stream_end reason);
    std::optional<stream_end> apply(const etcdserverpb::WatchResponse& response);
    stream_end on_cancelled(const etcdserverpb::WatchResponse& response);
    void store_changes(const etcdserverpb::WatchResponse& response);
    etcdserverpb::WatchRequest request() const;

    client& client_;
    const keyspace& keys_;
    std::string prefix_;
    kv::revision from_;  // the first revision the reader has not been given
    watch_buffer buffer_;
    std::vector<kv::change> changes_;  // of an answer that comes in fragments
    std::shared_ptr<watch_stream> stream_;
    std::size_t member_ = 0;
    std::string token_;
    backoff pause_;
    std::optional<etcdserverpb::WatchResponse> refusal_;  // etcd's first word was no
    int denials_ = 0;
    bool closed_ = false;
};

}  // namespace muster::etcd
