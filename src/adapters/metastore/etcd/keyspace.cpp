#include "adapters/metastore/etcd/keyspace.h"

#include "base/assert.h"

namespace muster::etcd {
namespace {

const std::string zero_byte(1, '\0');

}  // namespace

std::string end_of_prefix(std::string_view prefix) {
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xff') end.pop_back();
    if (end.empty()) return zero_byte;
    end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    return end;
}

std::string keyspace::inner(std::string_view outer_key) const {
    MUSTER_ASSERT(outer_key.starts_with(prefix_));  // we ask for keys under the prefix only
    return std::string(outer_key.substr(prefix_.size()));
}

key_span keyspace::span_of(std::string_view prefix) const {
    const auto first = outer(prefix);
    // etcd refuses an empty key; no key sorts before a single zero byte.
    return {.first = first.empty() ? zero_byte : first, .end = end_of_prefix(first)};
}

kv::entry keyspace::entry_from(const etcdserverpb::KeyValue& stored) const {
    return {
        .key = inner(stored.key()),
        .value = stored.value(),
        .created = kv::revision(stored.create_revision()),
        .modified = kv::revision(stored.mod_revision()),
        .lease = kv::lease_id(stored.lease())};
}

kv::change keyspace::change_from(const etcdserverpb::Event& event) const {
    if (event.type() == etcdserverpb::Event::DELETE) {
        return kv::erased{
            .key = inner(event.kv().key()), .at = kv::revision(event.kv().mod_revision())};
    }
    return kv::written{entry_from(event.kv())};
}

}  // namespace muster::etcd
