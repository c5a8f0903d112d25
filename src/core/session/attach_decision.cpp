#include "core/session/attach_decision.h"

namespace muster::session {
namespace {

// Refuses systems that are not accepted; nothing for an accepted one.
std::optional<refusal> check_enrolment(const attach_context& context, const retry_delays& delays) {
    if (!context.stage)
        return refusal{.why = reason::fresh, .address = {}, .retry_after = delays.fresh};
    switch (*context.stage) {
        case enrolment::accepted:
            return std::nullopt;
        case enrolment::deleted:
            return refusal{.why = reason::deleted};
        case enrolment::pooled:
        case enrolment::rejected:
        case enrolment::evicted:
            return refusal{.why = reason::fresh, .address = {}, .retry_after = delays.fresh};
    }
    return refusal{.why = reason::fresh, .address = {}, .retry_after = delays.fresh};
}

// Refuses systems whose slot this node does not serve; otherwise nothing.
std::optional<refusal> check_owner(const attach_context& context, const retry_delays& delays) {
    if (!context.owner || (!context.owner->is_self && context.owner->address.empty()))
        return refusal{.why = reason::orphan, .address = {}, .retry_after = delays.orphan};
    if (!context.owner->is_self)
        return refusal{.why = reason::moved, .address = context.owner->address, .retry_after = {}};
    return std::nullopt;
}

}  // namespace

attach_decision decide_attach(const attach_context& context, const retry_delays& delays) {
    if (context.stopping)
        return refusal{.why = reason::stopping, .address = {}, .retry_after = delays.stopping};
    if (!context.records_loaded)
        return refusal{.why = reason::busy, .address = {}, .retry_after = delays.busy};
    if (auto refused = check_enrolment(context, delays)) return *std::move(refused);
    if (auto refused = check_owner(context, delays)) return *std::move(refused);
    // Last, because a system can be redirected to another node without a lease.
    if (!context.lease_holds)
        return refusal{.why = reason::busy, .address = {}, .retry_after = delays.busy};
    return welcome{.system = context.number, .since = context.owner->since};
}

std::optional<refusal> reconsider(const attach_context& context, const retry_delays& delays) {
    if (context.stopping)
        return refusal{.why = reason::stopping, .address = {}, .retry_after = delays.stopping};
    if (!context.records_loaded) return std::nullopt;
    if (auto refused = check_enrolment(context, delays)) return refused;
    if (context.released)
        return refusal{.why = reason::orphan, .address = {}, .retry_after = delays.orphan};
    return check_owner(context, delays);
}

}  // namespace muster::session
