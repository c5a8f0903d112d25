#include "roles/fleet/system_subject.h"

#include "core/targeting/glob.h"

#include <algorithm>
#include <vector>

namespace muster::fleet {
namespace {

using targeting::glob_matches;

bool any_matches(std::string_view pattern, const std::vector<std::string>& words) {
    return std::ranges::any_of(
        words, [pattern](const std::string& each) { return glob_matches(pattern, each); });
}

}  // namespace

const whereabouts& system_subject::seen() const {
    if (!seen_) seen_ = record_.number && where_ ? where_(record_.number) : whereabouts();
    return *seen_;
}

bool system_subject::in_state(std::string_view pattern) const {
    if (glob_matches(pattern, to_string(record_.stage))) return true;
    const bool attached = record_.stage == enrolment::accepted && seen().attached;
    return glob_matches(pattern, to_string(state_of(&record_, attached)));
}

bool system_subject::meets(const targeting::term& condition) const {
    const auto& [field, pattern] = condition;
    if (field == "name") return glob_matches(pattern, record_.name);
    if (field == "tag") return any_matches(pattern, record_.tags);
    if (field == "group") return any_matches(pattern, record_.groups);
    if (field == "zone") return glob_matches(pattern, record_.zone);
    if (field == "state") return in_state(pattern);
    if (field == "fp") return glob_matches(pattern, record_.print.str());
    if (field == "machine") return glob_matches(pattern, record_.machine_id);
    if (field == "number")
        return record_.number && glob_matches(pattern, std::to_string(record_.number.value()));
    return field == "node" && glob_matches(pattern, seen().node);
}

}  // namespace muster::fleet
