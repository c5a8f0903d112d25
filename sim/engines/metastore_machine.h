#pragma once

#include "core/kv/store.h"
#include "sim/engines/codec.h"
#include "sim/engines/machine.h"
#include "sim/world.h"

#include <chrono>
#include <string>
#include <variant>

namespace muster::sim {

// What a metastore client can ask for.
struct kv_get {
    std::string key;
};
struct kv_range {
    kv::range_request what;
};
struct kv_commit {
    kv::transaction what;
};
struct kv_grant {
    std::chrono::seconds ttl{};
};
struct kv_keep_alive {
    kv::lease_id lease;
};
struct kv_revoke {
    kv::lease_id lease;
};
struct kv_watch {
    std::string prefix;
    kv::revision from;
};
struct kv_compact {
    kv::revision oldest;
};
using kv_request = std::
    variant<kv_get, kv_range, kv_commit, kv_grant, kv_keep_alive, kv_revoke, kv_watch, kv_compact>;

void fields(auto& archive, is<kv_get> auto& what) {
    archive(what.key);
}
void fields(auto& archive, is<kv::range_request> auto& what) {
    archive(what.prefix, what.after, what.limit);
}
void fields(auto& archive, is<kv_range> auto& what) {
    archive(what.what);
}
void fields(auto& archive, is<kv::absent> auto& what) {
    archive(what.key);
}
void fields(auto& archive, is<kv::present> auto& what) {
    archive(what.key);
}
void fields(auto& archive, is<kv::unchanged> auto& what) {
    archive(what.key, what.modified);
}
void fields(auto& archive, is<kv::value_is> auto& what) {
    archive(what.key, what.value);
}
void fields(auto& archive, is<kv::put> auto& what) {
    archive(what.key, what.value, what.lease);
}
void fields(auto& archive, is<kv::erase> auto& what) {
    archive(what.key);
}
void fields(auto& archive, is<kv::erase_prefix> auto& what) {
    archive(what.prefix);
}
void fields(auto& archive, is<kv::transaction> auto& what) {
    archive(what.when, what.then);
}
void fields(auto& archive, is<kv_commit> auto& what) {
    archive(what.what);
}
void fields(auto& archive, is<kv_grant> auto& what) {
    archive(what.ttl);
}
void fields(auto& archive, is<kv_keep_alive> auto& what) {
    archive(what.lease);
}
void fields(auto& archive, is<kv_revoke> auto& what) {
    archive(what.lease);
}
void fields(auto& archive, is<kv_watch> auto& what) {
    archive(what.prefix, what.from);
}
void fields(auto& archive, is<kv_compact> auto& what) {
    archive(what.oldest);
}
void fields(auto& archive, is<kv::entry> auto& what) {
    archive(what.key, what.value, what.created, what.modified, what.lease);
}
void fields(auto& archive, is<kv::lookup> auto& what) {
    archive(what.found, what.at);
}
void fields(auto& archive, is<kv::page> auto& what) {
    archive(what.entries, what.more, what.at);
}
void fields(auto& archive, is<kv::verdict> auto& what) {
    archive(what.committed, what.at, what.current);
}
void fields(auto& archive, is<kv::written> auto& what) {
    archive(what.now);
}
void fields(auto& archive, is<kv::erased> auto& what) {
    archive(what.key, what.at);
}
void fields(auto& archive, is<kv::change_batch> auto& what) {
    archive(what.changes, what.up_to);
}
void fields(auto& archive, is<kv::compacted> auto& what) {
    archive(what.oldest);
}
void fields(auto& archive, is<kv::lease_record> auto& what) {
    archive(what.id, what.ttl);
}
void fields(auto& archive, is<kv::snapshot> auto& what) {
    archive(what.at, what.last_lease, what.entries, what.leases, what.oldest, what.history);
}

// The metastore as a simulated engine runs it.
class metastore_machine final : public machine {
public:
    metastore_machine(world& where, kv::store_options options)
        : where_(where), options_(options), store_(options) {}

    bool is_logged(std::string_view request) const override;
    bool is_ready(std::string_view request) const override;
    std::string apply(std::string_view request, instant now) override;
    std::vector<std::string> expire(instant now) override;
    std::optional<instant> next_deadline() const override { return store_.next_deadline(); }
    std::optional<std::string> snapshot(instant now) override;
    result<void> restore(std::string_view snapshot, instant now) override;
    void recovered(instant now) override;
    std::string refusal(const error& why) const override;

private:
    std::string answer(const kv_get& kv_get, instant now);
    std::string answer(const kv_range& kv_range, instant now);
    std::string answer(const kv_commit& kv_commit, instant now);
    std::string answer(const kv_grant& kv_grant, instant now);
    std::string answer(const kv_keep_alive& kv_keep_alive, instant now);
    std::string answer(const kv_revoke& kv_revoke, instant now);
    std::string answer(const kv_watch& kv_watch, instant now);
    std::string answer(const kv_compact& kv_compact, instant now);

    world& where_;
    kv::store_options options_;
    kv::store store_;
};

}  // namespace muster::sim
