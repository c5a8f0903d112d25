#include "core/lifecycle/enrolment.h"

#include "base/assert.h"
#include "core/lifecycle/labels.h"

#include <algorithm>
#include <utility>

namespace muster::lifecycle {
namespace {

bool is_name_character(char character) {
    constexpr std::string_view punctuation = "-_.";
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
           || (character >= '0' && character <= '9')
           || punctuation.find(character) != std::string_view::npos;
}

std::string display_name(const system_record& system) {
    return system.name.empty() ? system.print.str() : system.name;
}

std::unexpected<error> conflict(const system_record& system, const std::string& problem) {
    return fail(errc::conflict, "system \"" + display_name(system) + "\" " + problem);
}

// A purged row accepts no change, because the change would be deleted with it.
result<void> check_not_purged(const system_record& system) {
    if (!is_purged(system)) return {};
    return fail(
        errc::unavailable,
        "system \"" + display_name(system) + "\" is being purged; retry in a few minutes");
}

system_record next_version(const system_record& system) {
    MUSTER_ASSERT(system.version < version_of_purged - 1);
    auto next = system;
    ++next.version;
    return next;
}

std::vector<std::string> merge_labels(
    std::vector<std::string> labels,
    const std::vector<std::string>& added,
    const std::vector<std::string>& removed = {}) {
    labels.insert(labels.end(), added.begin(), added.end());
    std::erase_if(
        labels, [&](const std::string& label) { return std::ranges::count(removed, label) > 0; });
    return sort_labels(std::move(labels));
}

void take_identity(system_record& next, const system_record& replaced) {
    next.number = replaced.number;
    next.tags = merge_labels(std::move(next.tags), replaced.tags);
    next.groups = merge_labels(std::move(next.groups), replaced.groups);
    if (next.zone.empty()) next.zone = replaced.zone;
}

bool is_replacement(const system_record& system, const std::optional<system_record>& same_machine) {
    return same_machine && same_machine->print != system.print;
}

}  // namespace

result<void> check(const enrol_request& request) {
    if (request.public_key.size() != 32)
        return fail(errc::invalid, "public key must be an Ed25519 key of 32 bytes");
    const bool name_valid = !request.name.empty()
                            && request.name.size() <= enrol_limits::name_bytes_max
                            && std::ranges::all_of(request.name, is_name_character);
    if (!name_valid)
        return fail(errc::invalid, "`name` must be 1 to 253 letters, digits, '-', '_' or '.'");
    const bool machine_valid = request.machine_id.size() <= enrol_limits::machine_id_bytes_max
                               && std::ranges::all_of(request.machine_id, is_name_character);
    if (!machine_valid)
        return fail(errc::invalid, "`machine_id` must be at most 64 letters, digits and '-'");
    return {};
}

next_record enrol(
    const std::optional<system_record>& system,
    const enrol_request& request,
    const std::optional<system_record>& same_machine,
    wall_time now) {
    if (!system)
        return system_record{
            .print = request.print,
            .public_key = request.public_key,
            .name = request.name,
            .machine_id = request.machine_id,
            .stage = enrolment::pooled,
            .origin = request.origin,
            .enrolled = now,
            .replaces = same_machine ? same_machine->number : system_number()};
    CHECK_OK(check_not_purged(*system));
    if (system->stage == enrolment::deleted) return std::nullopt;
    auto next = next_version(*system);
    next.name = request.name;
    next.machine_id = request.machine_id;
    if (system->stage != enrolment::accepted) {
        next.origin = request.origin;
        next.replaces =
            is_replacement(*system, same_machine) ? same_machine->number : system_number();
    }
    if (system->stage == enrolment::evicted) {
        next.stage = enrolment::pooled;
        next.enrolled = now;
    }
    const bool unchanged = next.name == system->name && next.machine_id == system->machine_id
                           && next.origin == system->origin && next.replaces == system->replaces
                           && next.stage == system->stage;
    if (unchanged) return std::nullopt;
    return next;
}

next_record accept(
    const system_record& system,
    const acceptance_options& options,
    const assigned_identity& identity,
    wall_time now) {
    CHECK_OK(check_not_purged(system));
    switch (system.stage) {
        case enrolment::accepted:
            return std::nullopt;
        case enrolment::deleted:
            return conflict(system, "is permanently deleted; its key cannot be accepted again");
        case enrolment::evicted:
            return conflict(system, "is no longer in the pool");
        case enrolment::pooled:
        case enrolment::rejected:
            break;
    }
    auto next = next_version(system);
    next.stage = enrolment::accepted;
    next.number = identity.number;
    next.zone = options.zone;
    next.tags = merge_labels(std::move(next.tags), options.tags);
    next.groups = merge_labels(std::move(next.groups), options.groups);
    next.accepted = now;
    next.accepted_by = options.accepted_by;
    if (identity.replaced) {
        take_identity(next, *identity.replaced);
    } else {
        next.replaces = {};
    }
    MUSTER_ASSERT(next.number);
    if (next.zone.empty()) return conflict(system, "cannot be accepted without a zone");
    return next;
}

next_record reject(const system_record& system) {
    CHECK_OK(check_not_purged(system));
    switch (system.stage) {
        case enrolment::rejected:
            return std::nullopt;
        case enrolment::accepted:
            return conflict(system, "is accepted; delete the system to ban its key");
        case enrolment::deleted:
            return conflict(system, "is permanently deleted");
        case enrolment::evicted:
            return conflict(system, "is no longer in the pool");
        case enrolment::pooled:
            break;
    }
    auto next = next_version(system);
    next.stage = enrolment::rejected;
    return next;
}

next_record remove(
    const std::optional<system_record>& system, const fingerprint& print, wall_time now) {
    system_record next{.print = print, .enrolled = now};
    if (system) {
        CHECK_OK(check_not_purged(*system));
        if (system->stage == enrolment::deleted) return std::nullopt;
        next = *system;
    }
    next.stage = enrolment::deleted;
    next.version = version_of_deleted;
    return next;
}

next_record unregister(const system_record& system) {
    if (system.stage != enrolment::accepted) return conflict(system, "is not accepted");
    auto next = next_version(system);
    ++next.unregistered;
    return next;
}

next_record move_to_zone(const system_record& system, const std::string& zone) {
    if (system.stage != enrolment::accepted) return conflict(system, "is not accepted");
    if (system.zone == zone) return std::nullopt;
    auto next = next_version(system);
    next.zone = zone;
    return next;
}

result<void> check(const label_change& change) {
    CHECK_OK(check_labels("tag", change.tags_added));
    CHECK_OK(check_labels("tag", change.tags_removed));
    CHECK_OK(check_labels("group", change.groups_added));
    return check_labels("group", change.groups_removed);
}

next_record relabel(const system_record& system, const label_change& change) {
    CHECK_OK(check_not_purged(system));
    if (system.stage == enrolment::deleted || system.stage == enrolment::evicted)
        return conflict(system, "is deleted or evicted");
    auto next = next_version(system);
    next.tags = merge_labels(std::move(next.tags), change.tags_added, change.tags_removed);
    next.groups = merge_labels(std::move(next.groups), change.groups_added, change.groups_removed);
    if (next.tags == system.tags && next.groups == system.groups) return std::nullopt;
    CHECK_OK(check_labels("tag", next.tags));
    CHECK_OK(check_labels("group", next.groups));
    return next;
}

next_record evict(const system_record& system) {
    if (system.stage != enrolment::pooled && system.stage != enrolment::rejected)
        return conflict(system, "is not in the pool");
    auto next = next_version(system);
    next.stage = enrolment::evicted;
    return next;
}

bool is_purged(const system_record& system) {
    return system.version == version_of_purged;
}

next_record purge(const system_record& system) {
    if (system.stage != enrolment::evicted) return conflict(system, "is no longer evicted");
    if (is_purged(system)) return std::nullopt;
    auto next = system;
    next.version = version_of_purged;
    return next;
}

}  // namespace muster::lifecycle
