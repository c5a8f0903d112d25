#pragma once

#include "api/operations/operation_lookup.h"
#include "services/revision/change_executor.h"

#include <utility>

namespace muster::api {

// Applies a change of a draft as the operation that its author called, with the rights that the
// author had then and still has. Thread-safe.
class draft_change_executor final : public revision::change_executor {
public:
    struct dependencies {
        const registry& operations;
        const request_authenticator& authenticator;
        operation_lookup others = nullptr;  // operations that are not in the registry
    };

    explicit draft_change_executor(dependencies deps) : deps_(std::move(deps)) {}

    async<void> execute(revision::draft_change change) override;

private:
    dependencies deps_;
};

}  // namespace muster::api
