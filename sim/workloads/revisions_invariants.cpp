#include "sim/workloads/revisions_invariants.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::sim {

named_value named_value::parse(const std::string& text) {
    const auto middle = text.find('=');
    if (middle == std::string::npos) return {.group = text, .value = {}};
    return {.group = text.substr(0, middle), .value = text.substr(middle + 1)};
}

void revisions_invariants::elected(std::int64_t term) {
    if (!terms_.insert(term).second) violated(fmt::format("two leaders of term {}", term));
}

void revisions_invariants::written(std::int64_t term, std::int64_t newest_when_begun) {
    if (term < newest_when_begun)
        violated(fmt::format(
            "leader of term {} wrote after the leader of term {}", term, newest_when_begun));
    newest_term_ = std::max(newest_term_, term);
}

std::set<std::string> revisions_invariants::may_be_dropped(const std::set<std::string>& changes) {
    std::set<std::string> news;
    for (const auto& change : changes)
        if (excused_.insert(change).second) news.insert(change);
    return news;
}

void revisions_invariants::are_kept(const std::set<std::string>& changes) {
    for (const auto& change : changes) excused_.erase(change);
}

void revisions_invariants::check_head(const revision::revision_record& head) {
    if (head.number < newest_revision_)
        violated(fmt::format("revision {} follows {}", head.number, newest_revision_));
    newest_revision_ = std::max(newest_revision_, head.number);
    const auto existing = head_digests_.try_emplace(head.number, head.digest).first;
    if (existing->second != head.digest)
        violated(fmt::format("revision {} was replaced", head.number));
}

// What a revision holds is what the one before held, with its changes; but for what nobody was told
// the end of.
void revisions_invariants::check_content(
    const stored_revision& before, const stored_revision& next) {
    auto expected = before.groups;
    std::map<std::string, std::set<std::string>> any_order;
    for (const auto& entry : next.entries) {
        const auto change = named_value::parse(entry.subject);
        expected.insert_or_assign(change.group, change.value);
        any_order[change.group].insert(change.value);
    }
    const bool direct = next.record.kind == "direct" || next.record.kind == "found";
    for (const auto& [group, value] : next.groups) {
        const auto desired = expected.find(group);
        if (desired != expected.end() && desired->second == value) continue;
        if (unattributed_.contains(value)) continue;
        // Changes of several servers are not told in the order of their clocks; and one that is
        // told late may have been replaced since, by what the revision before already had.
        const auto previous = before.groups.find(group);
        if (direct && any_order[group].contains(value)) continue;
        if (direct && previous != before.groups.end() && previous->second == value) continue;
        // The change at which a draft was halted may have been done by the leader before.
        if (next.record.kind == "partial" && drafted_.contains(named_value{group, value}.text()))
            continue;
        violated(fmt::format(
            "revision {} ({}) has {}={}, which is in none of its changes",
            next.record.number,
            next.record.kind,
            group,
            value));
    }
    for (const auto& [group, value] : expected)
        if (!next.groups.contains(group))
            violated(fmt::format("revision {} has lost {}", next.record.number, group));
}

// A change that was carried out twice would bring back what was replaced since.
void revisions_invariants::check_nothing_returns(const std::vector<stored_revision>& revisions) {
    std::map<std::string, std::vector<std::string>> values;
    for (const auto& revision : revisions) {
        for (const auto& [group, value] : revision.groups) {
            auto& previous = values[group];
            if (!previous.empty() && previous.back() == value) continue;
            if (std::ranges::find(previous, value) != previous.end())
                violated(fmt::format(
                    "{}={} reappears in revision {}", group, value, revision.record.number));
            previous.push_back(value);
        }
    }
}

void revisions_invariants::check_end(
    const std::vector<stored_revision>& revisions, const std::set<std::string>& still_drafted) {
    std::set<std::string> responses;
    std::set<std::string> drafts;
    for (std::size_t index = 0; index < revisions.size(); ++index) {
        const auto& revision = revisions[index];
        if (revision.record.number != static_cast<std::int64_t>(index) + 1)
            violated(fmt::format("revision {} is missing", index + 1));
        if (index > 0) check_content(revisions[index - 1], revision);
        if (revision.record.kind == "applied" && !drafts.insert(revision.record.draft).second)
            violated(fmt::format("revision {} applies a draft again", revision.record.number));
        // Whatever is published when there was nothing is the first one.
        if (revision.record.kind != "direct" && revision.record.kind != "found")
            for (const auto& entry : revision.entries) responses.insert(entry.subject);
        const auto observed = head_digests_.find(revision.record.number);
        if (observed != head_digests_.end() && observed->second != revision.record.digest)
            violated(fmt::format("revision {} was modified", revision.record.number));
    }
    if (newest_revision_ > static_cast<std::int64_t>(revisions.size()))
        violated(fmt::format("revision {} is lost", newest_revision_));
    check_nothing_returns(revisions);
    for (const auto& change : drafted_)
        if (!responses.contains(change) && !still_drafted.contains(change)
            && !excused_.contains(change))
            violated("acknowledged drafted change " + change + " is lost");
}

}  // namespace muster::sim
