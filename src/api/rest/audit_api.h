#pragma once

#include "api/operations/registry.h"
#include "core/model/system.h"
#include "core/table/query.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace muster::api {

// The audit trail: who did what, when, from where, and what was refused.
class audit_api {
public:
    // The number of the system that people call so. errc::not_found.
    using system_finder = std::function<result<system_number>(const std::string&)>;

    audit_api(clock& time, system_finder find) : time_(time), find_(std::move(find)) {}

    result<void> declare(registry& to);

private:
    async<reply> list(call call);

    result<std::int64_t> number_meant(const std::string& system) const;
    result<table::query> question_of(const call& call) const;

    clock& time_;
    system_finder find_;
};

}  // namespace muster::api
