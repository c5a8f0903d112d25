#include "core/session/attach_decision.h"

namespace muster::session {
namespace {

// The record's word: nothing when it is an accepted system.
std::optional<refusal> judge_record(const attach_context& now, const pauses& pauses) {
    if (!now.stage)
        return refusal{.why = reason::fresh, .address = {}, .retry_after = pauses.fresh};
    switch (*now.stage) {
        case enrolment::accepted:
            return std::nullopt;
        case enrolment::deleted:
            return refusal{.why = reason::deleted};
        case enrolment::pooled:
        case enrolment::rejected:
        case enrolment::evicted:
            return refusal{.why = reason::fresh, .address = {}, .retry_after = pauses.fresh};
    }
    return refusal{.why = reason::fresh, .address = {}, .retry_after = pauses.fresh};
}

// The topology's word: nothing when its slot is ours.
std::optional<refusal> judge_place(const attach_context& now, const pauses& pauses) {
    if (!now.place || (!now.place->is_us && now.place->address.empty()))
        return refusal{.why = reason::orphan, .address = {}, .retry_after = pauses.orphan};
    if (!now.place->is_us)
        return refusal{.why = reason::moved, .address = now.place->address, .retry_after = {}};
    return std::nullopt;
}

}  // namespace

attach_decision judge(const attach_context& now, const pauses& pauses) {
    if (now.stopping)
        return refusal{.why = reason::stopping, .address = {}, .retry_after = pauses.stopping};
    if (!now.records_known)
        return refusal{.why = reason::busy, .address = {}, .retry_after = pauses.busy};
    if (auto refused = judge_record(now, pauses)) return *std::move(refused);
    if (auto refused = judge_place(now, pauses)) return *std::move(refused);
    // Only after the rest: somebody who belongs elsewhere can be told so without any lease.
    if (!now.lease_holds)
        return refusal{.why = reason::busy, .address = {}, .retry_after = pauses.busy};
    return welcome{.system = now.number, .since = now.place->since};
}

std::optional<refusal> reconsider(const attach_context& now, const pauses& pauses) {
    if (now.stopping)
        return refusal{.why = reason::stopping, .address = {}, .retry_after = pauses.stopping};
    if (!now.records_known) return std::nullopt;
    if (auto refused = judge_record(now, pauses)) return refused;
    if (now.released)
        return refusal{.why = reason::orphan, .address = {}, .retry_after = pauses.orphan};
    return judge_place(now, pauses);
}

}  // namespace muster::session
