#pragma once

#include "core/access/right.h"
#include "core/kv/entry.h"
#include "services/people/record.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace muster::people {

// A record with its metastore revision and lease, for compare-and-set.
template <class Record>
struct versioned {
    Record record;
    kv::revision modified = {};
    kv::lease_id lease = {};
};

template <class Record>
using records = std::map<std::string, versioned<Record>, std::less<>>;

// Users, roles, tokens and sessions as one server sees them. Immutable; a change creates a new
// snapshot that shares the unchanged parts.
struct people_snapshot {
    std::shared_ptr<const records<user_record>> users =
        std::make_shared<const records<user_record>>();  // by name
    std::shared_ptr<const records<role_record>> roles =
        std::make_shared<const records<role_record>>();  // by name, without the built-in ones
    std::shared_ptr<const records<token_record>> tokens =
        std::make_shared<const records<token_record>>();  // by digest
    std::shared_ptr<const records<session_record>> sessions =
        std::make_shared<const records<session_record>>();  // by digest

    // The rights of each role, including the built-in ones.
    std::shared_ptr<const access::roles> role_rights =
        std::make_shared<const access::roles>(access::built_in_roles());
};

// Holds the newest snapshot. The people_follower publishes; any thread reads. Thread-safe.
class people_cache {
public:
    std::shared_ptr<const people_snapshot> read() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }
    void publish(std::shared_ptr<const people_snapshot> next) {
        const std::lock_guard lock(mutex_);
        current_ = std::move(next);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const people_snapshot> current_ = std::make_shared<people_snapshot>();
};

}  // namespace muster::people
