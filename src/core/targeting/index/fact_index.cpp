#include "core/targeting/index/fact_index.h"

#include "core/targeting/index/packed_ids.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <xxhash.h>

namespace muster::targeting {
namespace {

constexpr std::size_t places_at_first = 1024;

std::vector<std::uint32_t> unpacked_ids(std::string_view bytes) {
    std::vector<std::uint32_t> ids;
    for_each_id(bytes, [&ids](std::uint32_t id) {
        ids.push_back(id);
        return true;
    });
    return ids;
}

}  // namespace

std::vector<fact> searchable(std::vector<fact> facts) {
    std::erase_if(facts, [](const fact& fact) {
        return fact.path.size() > fact_limits::path_bytes_max
               || fact.text.size() > fact_limits::text_bytes_max;
    });
    std::ranges::sort(facts);
    const auto doubled = std::ranges::unique(facts);
    facts.erase(doubled.begin(), doubled.end());
    if (facts.size() > fact_limits::facts_max) facts.resize(fact_limits::facts_max);
    return facts;
}

std::uint64_t fact_index::hash_of(std::uint32_t path, std::string_view text) {
    return XXH3_64bits_withSeed(text.data(), text.size(), path);
}

// Where the value is, or where it would be.
std::size_t fact_index::place_of(std::uint32_t path, std::string_view text) const {
    const auto mask = places_.size() - 1;
    auto at = hash_of(path, text) & mask;
    while (places_[at] != 0) {
        const auto& there = values_[places_[at] - 1];
        if (there.path == path && there.text.view() == text) break;
        at = (at + 1) & mask;
    }
    return at;
}

const fact_index::value* fact_index::find(std::uint32_t path, std::string_view text) const {
    if (places_.empty()) return nullptr;
    const auto id = places_[place_of(path, text)];
    return id == 0 ? nullptr : &values_[id - 1];
}

void fact_index::grow() {
    if (!places_.empty() && (used_ + 1) * 4 < places_.size() * 3) return;
    const auto before = std::exchange(places_, {});
    places_.resize(before.empty() ? places_at_first : 2 * before.size());
    for (const auto id : before) {
        if (id == 0) continue;
        const auto& each = values_[id - 1];
        places_[place_of(each.path, each.text.view())] = id;
    }
}

// What stands behind a gap must be found without it: it moves up.
void fact_index::erase_place(std::size_t at) {
    const auto mask = places_.size() - 1;
    places_[at] = 0;
    --used_;
    for (auto next = (at + 1) & mask; places_[next] != 0; next = (next + 1) & mask) {
        const auto id = std::exchange(places_[next], 0);
        const auto& each = values_[id - 1];
        places_[place_of(each.path, each.text.view())] = id;
    }
}

fact_index::value_id fact_index::intern(std::uint32_t path, std::string_view text) {
    grow();
    const auto at = place_of(path, text);
    if (places_[at] != 0) return places_[at] - 1;
    value_id id = 0;
    if (free_.empty()) {
        id = static_cast<value_id>(values_.size());
        values_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    values_[id].text = packed_text(text);
    values_[id].path = path;
    places_[at] = id + 1;
    ++used_;
    auto& home = paths_[path];
    home.values.push_back(id);
    home.signatures.push_back(signature_of(text));
    ++home.live;
    return id;
}

void fact_index::let_go(value_id id) {
    auto& gone = values_[id];
    erase_place(place_of(gone.path, gone.text.view()));
    const auto number = gone.path;
    gone = value{.text = {}, .who = {}, .path = UINT32_MAX};
    free_.push_back(id);
    auto& home = paths_[number];
    // Names of values that are gone stay listed until they are half of the list.
    if (--home.live * 2 < home.values.size()) tidy_up(number);
}

void fact_index::tidy_up(std::uint32_t path) {
    auto& home = paths_[path];
    std::erase_if(home.values, [&](value_id value_id) { return values_[value_id].path != path; });
    std::ranges::sort(home.values);
    const auto doubled = std::ranges::unique(home.values);
    home.values.erase(doubled.begin(), doubled.end());
    home.signatures.clear();
    for (const auto value : home.values)
        home.signatures.push_back(signature_of(values_[value].text.view()));
}

std::optional<std::uint32_t> fact_index::path_of(const std::string& name) {
    const auto it = path_numbers_.find(name);
    if (it != path_numbers_.end()) return it->second;
    if (paths_.size() == fact_limits::paths_max) {
        ++left_out_;
        return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back({.name = name, .values = {}, .signatures = {}});
    path_numbers_.emplace(name, number);
    return number;
}

void fact_index::set(system_number system_number, std::span<const fact> facts) {
    std::vector<value_id> now;
    for (const auto& each : facts)
        if (const auto path = path_of(each.path)) now.push_back(intern(*path, each.text));
    std::ranges::sort(now);
    auto& held = held_.at(system_number);
    const auto before = unpacked_ids(held.view());
    std::vector<value_id> gone;
    std::ranges::set_difference(before, now, std::back_inserter(gone));
    for (const auto each : now) values_[each].who.add(system_number);
    held = packed_text(packed_ids(now));
    for (const auto each : gone) {
        values_[each].who.remove(system_number);
        if (values_[each].who.empty()) let_go(each);
    }
}

std::vector<fact> fact_index::facts_of(system_number system_number) const {
    std::vector<fact> facts;
    const auto* const held = held_.find(system_number);
    if (held == nullptr) return facts;
    for (const auto id : unpacked_ids(held->view()))
        facts.push_back(
            {.path = paths_[values_[id].path].name, .text = std::string(values_[id].text.view())});
    std::ranges::sort(facts);
    return facts;
}

}  // namespace muster::targeting
