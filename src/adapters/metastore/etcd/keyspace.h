#pragma once

#include "core/kv/change.h"
#include "core/kv/entry.h"
#include "etcd.pb.h"

#include <string>
#include <string_view>

namespace muster::etcd {

// The first key after all keys that start with `prefix`, in etcd's notation: one zero byte when
// there is no such key.
std::string end_of_prefix(std::string_view prefix);

// A span of keys in etcd's notation.
struct key_span {
    std::string first;
    std::string end;
};

// Maps the keys of the port to keys in etcd. *Outer* keys, those in etcd, have the client's prefix;
// *inner* keys, those of the port, do not.
class keyspace {
public:
    explicit keyspace(std::string prefix) : prefix_(std::move(prefix)) {}

    std::string outer(std::string_view key) const { return std::string(prefix_).append(key); }
    std::string inner(std::string_view outer_key) const;

    // All keys that start with the inner `prefix`.
    key_span span_of(std::string_view prefix) const;

    kv::entry entry_from(const etcdserverpb::KeyValue& stored) const;
    kv::change change_from(const etcdserverpb::Event& event) const;

private:
    std::string prefix_;
};

}  // namespace muster::etcd
