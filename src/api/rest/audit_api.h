#pragma once

#include "api/operations/registry.h"
#include "core/model/system.h"
#include "core/table/query.h"

#include <cstdint>
#include <string>
#include <utility>

namespace muster::api {

// The audit trail: who did what, when, from where, and what was refused.
class audit_api {
public:
    audit_api(muster::clock& clock, const system_directory& systems)
        : clock_(clock), systems_(systems) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);

    result<std::int64_t> number_meant(const std::string& system) const;
    result<table::query> question_of(const call& call) const;

    muster::clock& clock_;
    const system_directory& systems_;
};

}  // namespace muster::api
