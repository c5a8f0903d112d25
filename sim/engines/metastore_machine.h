#pragma once

#include "core/kv/store.h"
#include "sim/engines/codec.h"
#include "sim/engines/machine.h"
#include "sim/simulation.h"

#include <chrono>
#include <string>
#include <variant>

namespace muster::sim {

// What a metastore client can ask for.
struct kv_get {
    std::string key;
};
struct kv_range {
    kv::range_request request;
};
struct kv_commit {
    kv::transaction transaction;
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

void fields(auto& archive, is<kv_get> auto& value) {
    archive(value.key);
}
void fields(auto& archive, is<kv::range_request> auto& value) {
    archive(value.prefix, value.after, value.limit);
}
void fields(auto& archive, is<kv_range> auto& value) {
    archive(value.request);
}
void fields(auto& archive, is<kv::absent> auto& value) {
    archive(value.key);
}
void fields(auto& archive, is<kv::present> auto& value) {
    archive(value.key);
}
void fields(auto& archive, is<kv::unchanged> auto& value) {
    archive(value.key, value.modified);
}
void fields(auto& archive, is<kv::value_is> auto& value) {
    archive(value.key, value.value);
}
void fields(auto& archive, is<kv::put> auto& value) {
    archive(value.key, value.value, value.lease);
}
void fields(auto& archive, is<kv::erase> auto& value) {
    archive(value.key);
}
void fields(auto& archive, is<kv::erase_prefix> auto& value) {
    archive(value.prefix);
}
void fields(auto& archive, is<kv::transaction> auto& value) {
    archive(value.when, value.then);
}
void fields(auto& archive, is<kv_commit> auto& value) {
    archive(value.transaction);
}
void fields(auto& archive, is<kv_grant> auto& value) {
    archive(value.ttl);
}
void fields(auto& archive, is<kv_keep_alive> auto& value) {
    archive(value.lease);
}
void fields(auto& archive, is<kv_revoke> auto& value) {
    archive(value.lease);
}
void fields(auto& archive, is<kv_watch> auto& value) {
    archive(value.prefix, value.from);
}
void fields(auto& archive, is<kv_compact> auto& value) {
    archive(value.oldest);
}
void fields(auto& archive, is<kv::entry> auto& value) {
    archive(value.key, value.value, value.created, value.modified, value.lease);
}
void fields(auto& archive, is<kv::lookup> auto& value) {
    archive(value.found, value.at);
}
void fields(auto& archive, is<kv::page> auto& value) {
    archive(value.entries, value.more, value.at);
}
void fields(auto& archive, is<kv::commit_result> auto& value) {
    archive(value.committed, value.at, value.current);
}
void fields(auto& archive, is<kv::written> auto& value) {
    archive(value.entry);
}
void fields(auto& archive, is<kv::erased> auto& value) {
    archive(value.key, value.at);
}
void fields(auto& archive, is<kv::change_batch> auto& value) {
    archive(value.changes, value.up_to);
}
void fields(auto& archive, is<kv::compacted> auto& value) {
    archive(value.oldest);
}
void fields(auto& archive, is<kv::lease_record> auto& value) {
    archive(value.id, value.ttl);
}
void fields(auto& archive, is<kv::snapshot> auto& value) {
    archive(value.at, value.last_lease, value.entries, value.leases, value.oldest, value.history);
}

// The metastore as a simulated engine runs it.
class metastore_machine final : public machine {
public:
    metastore_machine(sim::simulation& simulation, kv::store_options options)
        : simulation_(simulation), options_(options), store_(options) {}

    bool is_logged(std::string_view request) const override;
    bool is_ready(std::string_view request) const override;
    std::string apply(std::string_view request, instant now) override;
    std::vector<std::string> expire(instant now) override;
    std::optional<instant> next_deadline() const override { return store_.next_deadline(); }
    std::optional<std::string> snapshot(instant now) override;
    result<void> restore(std::string_view snapshot, instant now) override;
    void recovered(instant now) override;
    std::string refusal(const error& reason) const override;

private:
    std::string execute(const kv_get& kv_get, instant now);
    std::string execute(const kv_range& kv_range, instant now);
    std::string execute(const kv_commit& kv_commit, instant now);
    std::string execute(const kv_grant& kv_grant, instant now);
    std::string execute(const kv_keep_alive& kv_keep_alive, instant now);
    std::string execute(const kv_revoke& kv_revoke, instant now);
    std::string execute(const kv_watch& kv_watch, instant now);
    std::string execute(const kv_compact& kv_compact, instant now);

    sim::simulation& simulation_;
    kv::store_options options_;
    kv::store store_;
};

}  // namespace muster::sim
