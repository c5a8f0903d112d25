#include "core/lifecycle/enrolment.h"

#include "base/assert.h"
#include "core/lifecycle/labels.h"

#include <algorithm>
#include <utility>

namespace muster::lifecycle {
namespace {

bool is_letter_of_name(char letter) {
    constexpr std::string_view others = "-_.";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

std::string named(const system_record& system) {
    return system.name.empty() ? system.print.str() : system.name;
}

std::unexpected<error> refused(const system_record& system, const std::string& why) {
    return fail(errc::conflict, named(system) + " " + why);
}

// A row that is about to be erased takes no change: it would be lost with it.
result<void> check_standing(const system_record& system) {
    if (!is_purged(system)) return {};
    return fail(errc::unavailable, named(system) + " is being purged; try again in some minutes");
}

system_record following(const system_record& system) {
    MUSTER_ASSERT(system.version < version_of_purged - 1);
    auto next = system;
    ++next.version;
    return next;
}

std::vector<std::string> with(
    std::vector<std::string> words,
    const std::vector<std::string>& added,
    const std::vector<std::string>& removed = {}) {
    words.insert(words.end(), added.begin(), added.end());
    std::erase_if(
        words, [&](const std::string& each) { return std::ranges::count(removed, each) > 0; });
    return sorted_words(std::move(words));
}

void take_over(system_record& next, const system_record& replaced) {
    next.number = replaced.number;
    next.tags = with(std::move(next.tags), replaced.tags);
    next.groups = with(std::move(next.groups), replaced.groups);
    if (next.zone.empty()) next.zone = replaced.zone;
}

bool is_new_machine(const system_record& system, const std::optional<system_record>& same_machine) {
    return same_machine && same_machine->print != system.print;
}

}  // namespace

result<void> check(const enrol_request& enrol_request) {
    if (enrol_request.public_key.size() != 32)
        return fail(errc::invalid, "the key must be an Ed25519 key of 32 bytes");
    const bool name_well = !enrol_request.name.empty()
                           && enrol_request.name.size() <= enrol_limits::name_bytes_max
                           && std::ranges::all_of(enrol_request.name, is_letter_of_name);
    if (!name_well)
        return fail(errc::invalid, "`name` must be 1 to 253 letters, digits, '-', '_' and '.'");
    const bool machine_well = enrol_request.machine_id.size() <= enrol_limits::machine_id_bytes_max
                              && std::ranges::all_of(enrol_request.machine_id, is_letter_of_name);
    if (!machine_well)
        return fail(errc::invalid, "`machine_id` must be at most 64 letters, digits and '-'");
    return {};
}

next_record enrol(
    const std::optional<system_record>& system,
    const enrol_request& enrol_request,
    const std::optional<system_record>& same_machine,
    wall_time now) {
    if (!system)
        return system_record{
            .print = enrol_request.print,
            .public_key = enrol_request.public_key,
            .name = enrol_request.name,
            .machine_id = enrol_request.machine_id,
            .stage = enrolment::pooled,
            .origin = enrol_request.origin,
            .enrolled = now,
            .replaces = same_machine ? same_machine->number : system_number()};
    CHECK_OK(check_standing(*system));
    if (system->stage == enrolment::deleted) return std::nullopt;
    auto next = following(*system);
    next.name = enrol_request.name;
    next.machine_id = enrol_request.machine_id;
    if (system->stage != enrolment::accepted) {
        next.origin = enrol_request.origin;
        next.replaces =
            is_new_machine(*system, same_machine) ? same_machine->number : system_number();
    }
    if (system->stage == enrolment::evicted) {
        next.stage = enrolment::pooled;
        next.enrolled = now;
    }
    const bool same = next.name == system->name && next.machine_id == system->machine_id
                      && next.origin == system->origin && next.replaces == system->replaces
                      && next.stage == system->stage;
    if (same) return std::nullopt;
    return next;
}

next_record accept(
    const system_record& system, const terms& terms, const seat& free, wall_time now) {
    CHECK_OK(check_standing(system));
    switch (system.stage) {
        case enrolment::accepted:
            return std::nullopt;
        case enrolment::deleted:
            return refused(system, "is deleted for ever; its key cannot be accepted again");
        case enrolment::evicted:
            return refused(system, "is no longer in the pool");
        case enrolment::pooled:
        case enrolment::rejected:
            break;
    }
    auto next = following(system);
    next.stage = enrolment::accepted;
    next.number = free.number;
    next.zone = terms.zone;
    next.tags = with(std::move(next.tags), terms.tags);
    next.groups = with(std::move(next.groups), terms.groups);
    next.accepted = now;
    next.accepted_by = terms.by;
    if (free.replaced) {
        take_over(next, *free.replaced);
    } else {
        next.replaces = {};
    }
    MUSTER_ASSERT(next.number);
    if (next.zone.empty()) return refused(system, "cannot be accepted without a zone");
    return next;
}

next_record reject(const system_record& system) {
    CHECK_OK(check_standing(system));
    switch (system.stage) {
        case enrolment::rejected:
            return std::nullopt;
        case enrolment::accepted:
            return refused(system, "is accepted; delete it to ban it");
        case enrolment::deleted:
            return refused(system, "is deleted for ever");
        case enrolment::evicted:
            return refused(system, "is no longer in the pool");
        case enrolment::pooled:
            break;
    }
    auto next = following(system);
    next.stage = enrolment::rejected;
    return next;
}

next_record remove(
    const std::optional<system_record>& system, const fingerprint& print, wall_time now) {
    system_record next{.print = print, .enrolled = now};
    if (system) {
        CHECK_OK(check_standing(*system));
        if (system->stage == enrolment::deleted) return std::nullopt;
        next = *system;
    }
    next.stage = enrolment::deleted;
    next.version = version_of_deleted;
    return next;
}

next_record unregister(const system_record& system) {
    if (system.stage != enrolment::accepted) return refused(system, "is not accepted");
    auto next = following(system);
    ++next.unregistered;
    return next;
}

next_record move_to_zone(const system_record& system, const std::string& zone) {
    if (system.stage != enrolment::accepted) return refused(system, "is not accepted");
    if (system.zone == zone) return std::nullopt;
    auto next = following(system);
    next.zone = zone;
    return next;
}

result<void> check(const label_change& label_change) {
    CHECK_OK(check_labels("tag", label_change.tags_added));
    CHECK_OK(check_labels("tag", label_change.tags_removed));
    CHECK_OK(check_labels("group", label_change.groups_added));
    return check_labels("group", label_change.groups_removed);
}

next_record relabel(const system_record& system, const label_change& label_change) {
    CHECK_OK(check_standing(system));
    if (system.stage == enrolment::deleted || system.stage == enrolment::evicted)
        return refused(system, "is not there any more");
    auto next = following(system);
    next.tags = with(std::move(next.tags), label_change.tags_added, label_change.tags_removed);
    next.groups =
        with(std::move(next.groups), label_change.groups_added, label_change.groups_removed);
    if (next.tags == system.tags && next.groups == system.groups) return std::nullopt;
    CHECK_OK(check_labels("tag", next.tags));
    CHECK_OK(check_labels("group", next.groups));
    return next;
}

next_record evict(const system_record& system) {
    if (system.stage != enrolment::pooled && system.stage != enrolment::rejected)
        return refused(system, "is not in the pool");
    auto next = following(system);
    next.stage = enrolment::evicted;
    return next;
}

bool is_purged(const system_record& system) {
    return system.version == version_of_purged;
}

next_record purge(const system_record& system) {
    if (system.stage != enrolment::evicted) return refused(system, "is there again");
    if (is_purged(system)) return std::nullopt;
    auto next = system;
    next.version = version_of_purged;
    return next;
}

}  // namespace muster::lifecycle
