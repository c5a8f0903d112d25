#include "services/fleet/system_subject.h"

#include "base/assert.h"

#include <algorithm>
#include <vector>

namespace muster::fleet {
namespace {

using targeting::field;
using targeting::text_pattern;

bool any_matches(const text_pattern& test, const std::vector<std::string>& words) {
    return std::ranges::any_of(
        words, [&test](const std::string& word) { return test.matches(word); });
}

}  // namespace

bool system_subject::in_state(const text_pattern& test) const {
    if (test.matches(to_string(record_.stage))) return true;
    const bool attached =
        record_.stage == enrolment::accepted && presence_.is_attached(record_.number);
    return test.matches(to_string(state_of(&record_, attached)));
}

bool system_subject::has(field requested, const text_pattern& test) const {
    switch (requested) {
        case field::name:
            return test.matches(record_.name);
        case field::tag:
            return any_matches(test, record_.tags);
        case field::group:
            return any_matches(test, record_.groups);
        case field::zone:
            return test.matches(record_.zone);
        case field::state:
            return in_state(test);
        case field::node:
            return test.matches(record_.number ? presence_.node_of(record_.number) : "");
        case field::print:
            return test.matches(record_.print.str());
        case field::number:
            return record_.number && test.matches(std::to_string(record_.number.value()));
        case field::machine:
            return test.matches(record_.machine_id);
    }
    MUSTER_ASSERT(false);
    return false;
}

}  // namespace muster::fleet
