#pragma once

#include "api/operations/registry.h"
#include "core/model/system.h"
#include "core/table/query.h"

#include <cstdint>
#include <string>
#include <utility>

namespace muster::api {

// Lists the audit trail. Thread-safe.
class audit_api {
public:
    audit_api(muster::clock& clock, const system_directory& systems)
        : clock_(clock), systems_(systems) {}

    result<void> declare(registry& operations);

private:
    async<reply> list(call call);

    result<std::int64_t> find_number(const std::string& system) const;
    result<table::query> build_query(const call& call) const;

    muster::clock& clock_;
    const system_directory& systems_;
};

}  // namespace muster::api
